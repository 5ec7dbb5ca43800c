// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are allocated through pointers to pointers, references to pointers and members behind them. Each is
// distributed: MUSTER_INFO tells if one is not managed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck --check-prefix=INFO %s
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// INFO: *out (
// INFO: **far (
// INFO-NOT: does not point into a managed array
#include <cstdio>
#include <cstdlib>

struct Matrix {
  double *values;
  int rows;
};

static int make(int n, double **out, Matrix **matrix, double *&reference, double ***far, double **table) {
#pragma ompx managed(*out)
  if (!(*out = (double *)malloc(n * sizeof(double)))) return 1;
  *matrix = new Matrix;
  (*matrix)->rows = n;
#pragma ompx managed((*matrix)->values)
  (*matrix)->values = new double[n];
#pragma ompx managed(reference)
  reference = (double *)calloc(n, sizeof(double));
#pragma ompx managed(**far)
  **far = new double[n];
  for (int i = 0; i < 2; ++i) {
#pragma ompx managed(table[i])
    table[i] = new double[n + i];
  }
  return 0;
}

static void fill(double *a, int n, double value) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += value + i;
}

int main() {
  const int n = 103;
  double *a, *b, *c, **behind = &c, *table[2];
  Matrix *m;
  if (make(n, &a, &m, b, &behind, table) != 0) return 1;
  for (int i = 0; i < n; ++i) a[i] = m->values[i] = c[i] = table[0][i] = table[1][i] = i % 7;
  fill(a, n, 1), fill(b, n, 2), fill(c, n, 3), fill(table[0], n, 4), fill(table[1], n, 5);
#pragma omp parallel for
  for (int i = 0; i < m->rows; ++i) m->values[i] += a[i] * b[i];
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += m->values[i] + c[i] - table[0][i] + 2 * table[1][n - 1 - i];
  std::printf("%.12g %.12g\n", sum, m->values[n - 1]);
  free(a), free(b);
  delete[] m->values;
  delete m;
  delete[] c;
  delete[] table[0];
  delete[] table[1];
}
