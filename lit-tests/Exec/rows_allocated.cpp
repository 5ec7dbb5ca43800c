// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are allocated one by one, and freed one by one, for a managed table: they lie in one array, and all loops are
// distributed (MUSTER_INFO tells if one is not). Rows of other lengths have arrays of their own.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

static double **alloc2d(int n, int m) {
#pragma ompx managed(a)
  double **a = (double **)malloc(n * sizeof(double *));
  if (!a) return nullptr;
  for (int i = 0; i < n; i++) a[i] = (double *)calloc(m, sizeof **a);
  return a;
}
static void free2d(double **a, int n) {
  for (int i = n - 1; i >= 0; i--) free(a[i]);
  free(a);
}

struct Point {
  float x = 1, y = 2;
};

#pragma ompx managed(early)
static float **early = new float *[7]();
static const bool filled = [] {
  for (int i = 0; i < 7; ++i) early[i] = new float[5];
  return true;
}();

static void step(double **v, double **u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m - 1; ++j) {
      double sum = u[i][j - 1] + u[i][j + 1];
      if (i > 0) sum += u[i - 1][j];
      if (i + 1 < n) sum += u[i + 1][j];
      v[i][j] = 0.25 * sum;
    }
}
static double total(double **a, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) s += a[i][j] * (i + 1);
  return s;
}

static void points(int n, int m) {
#pragma ompx managed(p)
  Point **p;
  p = new Point *[n];
  for (int i = 0; i < n; ++i) *(p + i) = new Point[m];
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) p[i][j].x += p[i][j].y * j;
  std::printf("%g %g\n", p[n - 1][m - 1].x, p[0][0].x);
  for (int i = 0; i < n; ++i) delete[] p[i];
  delete[] p;
}

// Rows that grow have arrays of their own, freed rows have their place again.
static void moved(int n, int m) {
  double **a = alloc2d(n, m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = i + j;
  step(a, a, 1, m);
  free(a[2]);
#pragma ompx managed(a[2])
  a[2] = (double *)malloc(2 * m * sizeof(double));
  for (int j = 0; j < 2 * m; ++j) a[2][j] = j;
  a[3] = (double *)realloc(a[3], 2 * m * sizeof(double));
  a = (double **)realloc(a, (n + 1) * sizeof *a);
  a[n] = (double *)calloc(m, sizeof(double));
  // CHECK: rows_allocated.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: row 2 is not where
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][0] += i;
  std::printf("%g %g\n", total(a, n + 1, m), a[3][m - 1]);
  free2d(a, n + 1);
}

int main() {
  const int n = 53, m = 37;
  double **a = alloc2d(n, m), **b = alloc2d(n, m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = b[i][j] = i * j % 11;
  for (int t = 0; t < 4; ++t) {
    step(b, a, n, m);
    std::swap(a, b);
  }
  std::printf("%.12g %.12g\n", total(a, n, m), a[0][1]);
  for (int round = 0; round < 3; ++round) {
    double **c = alloc2d(5 + round, 9);
#pragma omp parallel for
    for (int i = 0; i < 5; ++i) c[i][8] += a[i][3];
    std::printf("%.12g\n", total(c, 5, 9));
    free2d(c, 5 + round);
  }
#pragma omp parallel for
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 5; ++j) early[i][j] = i * j;
  std::printf("%g\n", early[6][4]);
  points(11, 6);
  moved(9, 8);
  free2d(a, n);
  free2d(b, n);
}
// CHECK-NOT: this loop runs
