// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes that are elements of 8 or 16 bits: tables, links within a row, bins of a row, sums that wrap. The plain
// program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
#include "Inputs/wild_report.h"
int main() {
  const int n = 37, links = 300;
#pragma ompx managed(row, out)
  double *row = new double[n * links], *out = new double[n * links]();
#pragma ompx managed(bins)
  int *bins = new int[n * 256]();
#pragma ompx managed(link)
  unsigned short *link = new unsigned short[links];
#pragma ompx managed(grey)
  unsigned char *grey = new unsigned char[n * links];
#pragma ompx managed(level)
  signed char *level = new signed char[n * links];
#pragma ompx managed(table)
  double *table = new double[256];
  fill(row, n * links);
  fill(table, 256, 3);
  for (int i = 0; i < links; i++) link[i] = (i * 7 + 3) % links;
  for (int i = 0; i < n * links; i++) grey[i] = i * i / 7, level[i] = i * 13 / 5;
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int k = 0; k < links; k++) out[i * links + k] = row[i * links + link[k]] + table[grey[i * links + k]];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; k < links; k++) bins[i * 256 + level[i * links + k] + 128]++;
  report("out", out, n * links);
#pragma omp parallel for
  for (int i = 0; i < n * links - 1; i++) {
    const unsigned char both = grey[i] + grey[i + 1];
    const int apart = grey[i] - grey[i + 1];
    out[i] = table[both] - table[apart < 0 ? -apart : apart];
    for (int k = 0; k < grey[i] % 5; k++) out[i] += table[k];
  }
  report("out", out, n * links);
  long sum = 0;
  for (int i = 0; i < n * 256; i++) sum += (long)bins[i] * (i % 1000);
  printf("%ld\n", sum);
  delete[] row, delete[] out, delete[] bins, delete[] link, delete[] grey, delete[] level, delete[] table;
}
