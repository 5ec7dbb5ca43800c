// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows in C: as rows_tables.cpp.
// RUN: %plain-c -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c99 -pedantic -Wall -Wextra -Werror %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>

typedef float real;

static int make(int n, int m, real ***out) {
  real **a = malloc(n * sizeof(real *));
  if (!a) return 1;
#pragma ompx managed(a[0])
  if (!(a[0] = malloc((size_t)n * m * sizeof **a))) return 1;
  for (int i = 1; i < n; i++) a[i] = a[i - 1] + m;
  *out = a;
  return 0;
}

static void multiply(real **restrict c, real **a, real *b[], int n) {
  int i, j, k;
#pragma omp parallel for private(j, k)
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      real s = 0;
      for (k = 0; k < n; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

static real largest(real **a, int n) {
  real most = 0;
#pragma omp parallel
  {
#pragma omp for reduction(max : most) nowait
    for (int i = 0; i < n; i++) {
      real *row = a[i];
      for (int j = 0; j < n; j++) most = row[j] > most ? row[j] : most;
    }
  }
  return most;
}

int main(void) {
  const int n = 41;
  real **a, **b, **c, *row;
  if (make(n, n, &a) || make(n, n + 2, &b) || make(n, n, &c)) return 1;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = (i + j) % 3, b[i][j] = i - j;
  for (int t = 0; t < 4; t++) {
    real **swap = a;
    multiply(c, a, b, n);
    a = c, c = swap;
  }
  printf("%g %g %g\n", largest(a, n), a[1][2], a[n - 1][n - 1]);
  row = a[1], a[1] = a[7], a[7] = row;
  multiply(c, a, b, n);
  printf("%g %g\n", largest(a, n), c[1][2]);
  row = a[1], a[1] = a[7], a[7] = row;
  free(a[0]), free(b[0]), free(c[0]);
  free(a), free(b), free(c);
  return 0;
}
