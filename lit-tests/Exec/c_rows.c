// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows whose length only the run knows: pointers to them, parameters, two levels, with lengths that change afterwards.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c99 -pedantic -Wall -Wextra -Werror %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %cc -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck %s
#include <stdio.h>
#include <stdlib.h>

// The extents are the user's own symbols, so that rows do not overlap and two dimensions become parallel.
// CHECK-LABEL: muster_step_
static void step(int n, int m, double out[n][m], double in[n][m]) {
  int i, j;
#pragma omp parallel for private(j)
  for (i = 1; i < n - 1; i++)
    for (j = 1; j < m - 1; j++)
      out[i][j] = 0.2 * (in[i][j] + in[i - 1][j] + in[i + 1][j] + in[i][j - 1] + in[i][j + 1]);
}

static double total(size_t n, size_t m, double (*restrict a)[m]) {
  double s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) s += a[i][j];
  return s;
}

// The type keeps the length that it was declared with; a row decays to a pointer.
static void changed(int n, int m, float *flat) {
  float (*a)[m][3] = (float (*)[m][3])flat;
  const int rows = m;
  m = 1;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < rows; j++) {
      float *cell = a[i][j];
      cell[1] += a[i][j][0] * 2 + m;
      a[i][j][2] = cell[1] - i;
    }
}

int main(void) {
  int n = 45, m = 38, i, j, k;
  double s = 0;
#pragma ompx managed(a)
  double (*a)[m] = malloc(sizeof(double[n][m]));
#pragma ompx managed(b)
  double (*b)[m] = malloc((size_t)n * sizeof *b);
#pragma ompx managed(c)
  float *c = malloc((size_t)n * (size_t)m * 3 * sizeof *c);
  if (!a || !b || !c) return 1;
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) {
      a[i][j] = b[i][j] = (i * 3 + j) % 11;
      for (k = 0; k < 3; k++) c[(i * m + j) * 3 + k] = (float)(i + j + k);
    }
  for (k = 0; k < 7; k++) {
    step(n, m, b, a);
    step(n, m, a, b);
  }
  changed(n, m, c);
  for (i = 0; i < n * m * 3; i++) s += c[i] * (i % 7);
  printf("%.10g %.10g\n", total((size_t)n, (size_t)m, a), s);
  free(a);
  free(b);
  free(c);
  return 0;
}
