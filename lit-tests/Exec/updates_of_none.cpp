// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of two histograms a launch touches one alone, or none: what work-groups collect has no elements then.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>

static void count(const unsigned char *key, int *first, int *second, int n, int which) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (which != 1) {
#pragma omp atomic
      first[key[i]]++;
    }
    if (which != 0) {
#pragma omp atomic
      second[key[i] / 2] += 3;
    }
  }
}

int main() {
  const int n = 200000;
#pragma ompx managed(key, first, second)
  unsigned char *key = new unsigned char[n];
  int *first = new int[256](), *second = new int[256]();
  for (int i = 0; i < n; ++i) key[i] = i * 7 % 251;
  for (int which : (int[]){2, 0, 1, 0, 2, 3}) count(key, first, second, n, which);
  for (int i = 0; i < 256; ++i) printf("%d %d\n", first[i], second[i]);
  delete[] key;
  delete[] first;
  delete[] second;
}
