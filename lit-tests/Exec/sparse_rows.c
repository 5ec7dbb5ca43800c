// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices in rows: native code runs them in a block of rows for each thread, also where rows are fewer than
// threads, none, or do not begin at 0, and on more than one device. The plain program is the oracle, in C and in C++.
//
// RUN: %plain-c -O1 -w %s -o %t.plain && %run OMP_NUM_THREADS=5 %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c99 -pedantic -Wall -Wextra -Werror %s -o %t
// RUN: %run OMP_NUM_THREADS=5 %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=1 %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=2,1 %t | diff %t.expected -
// RUN: %muster-link -x c++ -O1 -w %s -o %t.cxx && %run OMP_NUM_THREADS=5 %t.cxx | diff %t.expected -
// RUN: %cc -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
#include <stdio.h>
#include <stdlib.h>

// CHECK-LABEL: muster_loop_[[#LINE:]]_run(
// CHECK:      const int muster_blocks = muster_blocks_of(muster_n0);
// CHECK:      #pragma omp parallel for firstprivate(
// CHECK-NEXT: for (int muster_b = 0; muster_b < muster_blocks; ++muster_b) {
// CHECK:      for (; i < muster_end; ++i) {
static void multiply(const int *first, const int *column, const double *value, const double *p, double *q, int from,
                     int rows) {
#pragma omp parallel for
  for (int i = from; i < rows; ++i) {
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; ++k) sum += value[k] * p[column[k]];
    if (column[first[i]] == 1) continue;
    q[i] = sum;
  }
}

// Numbers that add up exactly: how threads divide them does not show.
static double total(const long *first, const int *column, const double *value, long rows) {
  double sum = 0, scale;
#pragma omp parallel for private(scale) reduction(+ : sum)
  for (long i = 2; i < rows; ++i) {
    scale = (double)(i % 4);
    for (long k = first[i]; k < first[i + 1]; ++k) sum += scale * value[k] * column[k];
  }
  return sum;
}

// Who runs what is the user's.
// CHECK-LABEL: static double total(
// CHECK-NOT:  muster_blocks
// CHECK:      schedule(dynamic, 3)
// CHECK-NEXT: for (int muster_k0 = 0; muster_k0 < muster_n0; ++muster_k0) {
// CHECK-NOT:  muster_blocks
static void scheduled(const int *first, const int *column, double *q, int rows) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < rows; ++i)
    for (int k = first[i]; k < first[i + 1]; ++k) q[i] += column[k];
}

int main(void) {
  enum { n = 211 };
#pragma ompx managed(first, column)
  int *first = (int *)malloc((n + 1) * sizeof(int)), *column = (int *)malloc(6 * n * sizeof(int));
#pragma ompx managed(longs)
  long *longs = (long *)malloc((n + 1) * sizeof(long));
#pragma ompx managed(value, p, q)
  double *value = (double *)malloc(6 * n * sizeof(double)), *p = (double *)malloc(n * sizeof(double)),
         *q = (double *)calloc(n, sizeof(double));
  first[0] = 0;
  for (int i = 0; i < n; ++i) {
    first[i + 1] = first[i] + 1 + (i * 7) % 6;
    p[i] = (i * 5) % 13 - 6;
    for (int k = first[i]; k < first[i + 1]; ++k) column[k] = (i + k * 31) % n, value[k] = k % 9 - 4;
  }
  for (int i = 0; i <= n; ++i) longs[i] = first[i];
  for (int rows = 0; rows <= n; rows = rows < 8 ? rows + 1 : rows + 29) {
    multiply(first, column, value, p, q, 0, rows);
    multiply(first, column, value, p, q, rows / 2, rows);
    scheduled(first, column, q, rows);
    double sum = total(longs, column, value, rows);
    for (int i = 0; i < n; ++i) sum += q[i] * (i % 5);
    printf("%d rows: %.17g\n", rows, sum);
  }
  free(first);
  free(longs);
  free(column);
  free(value);
  free(p);
  free(q);
  return 0;
}
