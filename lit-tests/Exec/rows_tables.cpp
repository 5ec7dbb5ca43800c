// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows, T **a, over one block: in loops of every shape, swapped as tables and row by row. A loop whose rows are
// not evenly spaced is the plain loop.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <utility>

struct Cell {
  float x;
  int n;
};

template <class T> static T **carve(int n, int m, int gap) {
  T **a = (T **)malloc(n * sizeof *a);
  a[0] = nullptr;
  return a;
}
template <> double **carve<double>(int n, int m, int gap) {
  double **a = (double **)malloc(n * sizeof *a);
#pragma ompx managed(a[0])
  a[0] = (double *)malloc(n * (m + gap) * sizeof(double));
  for (int i = 1; i < n; ++i) a[i] = a[0] + i * (m + gap);
  return a;
}
template <class T> static void release(T **a) { free(*a), free(a); }

static void step(double **v, const double *const *u, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

static double ofRow(const double *row, int m) {
  double s = 0;
  for (int j = 0; j < m; ++j) s += row[j];
  return s;
}

// Row pointers in all spellings, also as arguments. Sums of integers have no order.
static long sum(double **a, int n, int m) {
  long s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) {
    const double *row = a[i];
    for (int j = 0; j < m; ++j) s += (long)(64 * (row[j] + (*(a + i))[j] - *(*(a + i) + j)));
    s += (long)ofRow(a[i], m) + (long)a[0][i % 2] + (long)**a;
  }
  return s;
}

static void eliminate(double **a, int n) {
  for (int k = 0; k < n; ++k) {
#pragma omp parallel for
    for (int i = k + 1; i < n; ++i) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; ++j) a[i][j] -= a[i][k] * a[k][j];
    }
#pragma omp parallel for
    for (int j = 0; j < n; ++j) a[k][j] += 1;
  }
}

template <class T, int N> static void scale(T **a, int m) {
#pragma omp parallel for
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < N; ++i) a[i][j] = a[i][j] * 2 + i;
}

static void region(double **&a, double **&b, int n, int m, int steps) {
#pragma omp parallel
  for (int t = 0; t < steps; ++t) {
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) b[i][j] = a[n - 1 - i][j] + t;
#pragma omp single
    std::swap(a, b);
  }
}

// CHECK: rows_tables.cpp:[[@LINE+3]]: this loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: row -1 is in no managed array
// Row i - 1 is used under a condition only; whether there is one is not known before the first.
static void below(double **a, double **b, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i > 0)
      for (int j = 0; j < m; ++j) b[i][j] = a[i - 1][j] + 1;
}

static Cell *cells[5];
static void useCells(int m) {
#pragma ompx managed(block)
  Cell *block = new Cell[5 * m];
  for (int i = 0; i < 5; ++i) cells[i] = block + (i * m);
#pragma omp parallel for
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < m; ++j) cells[i][j].x = 0.5f * i, cells[i][j].n = j;
  int n = 0;
#pragma omp parallel for reduction(+ : n)
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < 5; ++i) n += cells[i]->n + cells[i][j].n * (int)(2 * cells[i][j].x);
  std::printf("%d %g\n", n, cells[3][1].x);
  delete[] block;
}

int main() {
  const int n = 53, m = 37;
  double **a = carve<double>(n, m, 0), **b = carve<double>(n, m, 3), **c = carve<double>(m, m, 1);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = i == 0 || j == 0 ? i + j : 0, b[i][j] = a[i][j];
#pragma omp parallel for
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) c[i][j] = i == j ? 2 * m : (i * j) % 5;
  for (int t = 0; t < 6; ++t) {
    step(b, a, n, m);
    std::swap(a, b);
  }
  std::printf("%ld %.12g\n", sum(a, n, m), a[3][4]);
  eliminate(c, m);
  std::printf("%.12g %.12g\n", c[m - 1][m - 1], c[m - 1][0]);
  scale<double, 11>(a, m);
  region(a, b, n, m, 3);
  std::printf("%ld %.12g\n", sum(b, n, m), b[10][4]);
  useCells(19);
  below(a, b, n, m);
  std::printf("%ld\n", sum(b, n, m));
  std::swap(a[2], a[5]);
  // CHECK-NEXT: rows_tables.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: row 2 is not where
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][0] = i;
  region(a, b, n, m, 2);
  step(b, a, n, m);
  std::printf("%ld %.12g %g\n", sum(b, n, m), b[10][4], a[0][2]);
  release(a), release(b), release(c);
}
// CHECK-NEXT: rows_tables.cpp:78: this loop runs on rank 0's CPU, as a plain loop: the rows of a are
// CHECK-NEXT: rows_tables.cpp:78: this loop runs on rank 0's CPU, as a plain loop: the rows of b are
// CHECK-NEXT: rows_tables.cpp:34: this loop runs on rank 0's CPU, as a plain loop: the rows of u are
// CHECK-NOT: this loop runs
