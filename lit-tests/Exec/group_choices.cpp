// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions in an iteration whose loops a work-group shares: what is defined in one has a value also where it does not
// hold. NVIDIA's compiler went wrong there, so gpu-check.sh runs this program, too.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s
#include <cstdio>
#include <cstdlib>

// CHECK-LABEL: schedule of muster_choose_
// CHECK:         work-groups share an iteration's loops over j
// KERNEL:        int muster_chosen0 = 0;
static void choose(double (*x)[301], double *y, const int *key, int edge, int place) {
  int j;
#pragma omp parallel for private(j)
  for (long i = 1; i < (long)edge; i++) {
    double *row = &x[i][0];
    if (key[i] > 5) {
      for (j = i; j <= edge - 1; ++j)
        if (2 < row[j]) row[j] = row[j] * 0.5 + 1;
    } else if (i % 4 == 1) {
      for (j = i % 4; j < edge - i % 3; j++) row[j] = key[i] * 0.125 + 1;
    } else {
      for (j = 0; j < place; j++) row[j] += 2 * 0.0625 - row[j] * 0.5;
    }
    for (j = i; j <= edge - 1; ++j) x[i][j] += (key[j] + 2) * 0.0625 - x[i][j] * 0.5;
    if (key[i] < 6 || i % 4 == 1) {
      row[0] = (y[i] + x[i][i]) * 0.0625 + row[0] * 0.5;
      for (j = 0; j < i; j++) row[j] = y[i] * 0.0625 + row[j] * 0.5;
    } else if (i % 4 == 1) {
      for (j = 0; j < edge; j++)
        if (j % 5 == 2) x[i][j] += key[i] * 0.0625 - x[i][j] * 0.5;
    } else {
      y[i] = key[i] * 0.0625 + y[i] * 0.5;
    }
  }
}

int main() {
  const int edge = 300;
#pragma ompx managed(x, y, key)
  double(*x)[301] = (double(*)[301])malloc(sizeof(double[300][301])), *y = (double *)malloc(sizeof(double) * 300);
  int *key = (int *)malloc(sizeof(int) * 301);
  for (int i = 0; i < edge; ++i)
    for (int j = 0; j < edge + 1; ++j) x[i][j] = (i * 5 + j) % 23;
  for (int i = 0; i < edge; ++i) y[i] = i % 7, key[i] = i % 13;
  for (int place = 0; place < edge; place += 151) choose(x, y, key, edge, place);
  for (int i = 0; i < edge; ++i) {
    double sum = 0;
    for (int j = 0; j < edge; ++j) sum = sum * 0.999 + x[i][j];
    printf("%d %.17g %.17g\n", i, sum, y[i]);
  }
}
