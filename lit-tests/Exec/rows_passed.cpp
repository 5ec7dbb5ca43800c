// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows that are passed to functions with loops, of this file and of another one, in both styles of
// allocation: all loops are distributed.
// RUN: %plain -O1 -w %s %S/Inputs/rows_other_unit.cpp -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s %S/Inputs/rows_other_unit.cpp -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
#include <cstdio>
#include <cstdlib>

void relax(double **v, double **u, int n, int m);
double largest(double *const *const u, int n, int m);

static double **rowByRow(int n, int m) {
#pragma ompx managed(a)
  double **a = new double *[n];
  for (int i = 0; i < n; ++i) a[i] = new double[m]();
  return a;
}

static double **oneBlock(int n, int m) {
  double **a = (double **)malloc(n * sizeof *a);
#pragma ompx managed(block)
  double *block = (double *)calloc(n * m, sizeof(double));
  for (int i = 0; i < n; ++i) a[i] = &block[i * m];
  return a;
}

static void fill(double **&a, int n, int m) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = (i * 7 + j * 3) % 17;
}

template <class T>
static void scale(T **a, int n, int m, T by) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    T *row = a[i];
    for (int j = 0; j < m; ++j) row[j] *= by;
  }
}

int main() {
  const int n = 61, m = 23;
  double **a = rowByRow(n, m), **b = oneBlock(n, m);
  fill(a, n, m), fill(b, n, m);
  for (int t = 0; t < 5; ++t) {
    relax(b, a, n, m);
    double **other = a;
    a = b, b = other;
  }
  scale(b, n, m, 0.5);
  std::printf("%.12g %.12g\n", largest(a, n, m), largest(b, n, m));
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) sum += a[i][j] * (i + 1) - b[i][j] * j;
  std::printf("%.12g\n", sum);
}
