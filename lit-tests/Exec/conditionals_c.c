// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As conditionals.cpp, in C and in a header.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %plain-c -w -DOTHER %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -fplugin-arg-muster-strict -DOTHER %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>

#include "Inputs/conditionals.h"

#ifdef OTHER
static void
#else
void
#endif
scale(double *a, int n) {
  int i;
#ifdef _OPENMP
#ifdef OTHER
#pragma omp parallel for private(i)
#else
#pragma omp parallel for
#endif
#endif
  for (i = 0; i < n; i++)
#ifdef OTHER
    a[i] *= 2;
#else
  {
    a[i] *= 3;
  }
#endif
}

int main(void) {
  const int n = 100;
#pragma ompx managed(a)
  double *a = (double *)malloc(
#ifdef OTHER
      2 *
#endif
      n * sizeof(double));
  start(a, n);
  scale(a, n);
  double s = 0;
  int i, j;
#ifdef _OPENMP
#pragma omp parallel shared(a) private(i, j)
  {
#endif
#ifdef _OPENMP
#pragma omp for reduction(+ : s)
#endif
    for (i = 0; i < 10; i++) {
      for (j = 0; j < 10; j++) s += a[i * 10 + j];
    }
#ifdef _OPENMP
  }
#endif
  printf("%.17g %.17g %d\n", s, a[n - 1], __LINE__);
  free(a);
  return 0;
}
