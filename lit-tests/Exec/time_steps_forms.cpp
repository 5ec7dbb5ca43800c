// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of time of arrays as programs have them: pointers to rows, vectors of vectors, classes, rows whose length a
// variable says, each array with its own.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && FileCheck --check-prefix=REPORT --input-file=%t.err %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env MUSTER_DEVICES=pocl MUSTER_TUNE=off \
// RUN:   MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

static double total(int rows, int columns, const double *all) {
  double sum = 0;
  for (int i = 0; i < rows * columns; ++i) sum = sum * 0.999 + all[i];
  return sum;
}

// CHECK-LABEL: schedule of muster_pointers_
// CHECK:         5 steps of time at once, where a and b change places and muster_length_b_0 is muster_length_a_0
static void pointers(double **a, double **b, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

// CHECK-LABEL: schedule of muster_vectors_
// CHECK:         5 steps of time at once, where a and b change places and
static void vectors(const std::vector<std::vector<double>> &a, std::vector<std::vector<double>> &b, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

struct Grid {
  int rows, columns;
  double *data;
  double &operator()(int i, int j) { return data[i * columns + j]; }
};

// CHECK-LABEL: schedule of muster_grids_
// CHECK:         5 steps of time at once, where a.data and b.data change places and b.columns is a.columns
static void grids(Grid &a, Grid &b) {
#pragma omp parallel for
  for (int i = 1; i < a.rows - 1; ++i)
    for (int j = 1; j < a.columns - 1; ++j) b(i, j) = 0.25 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
}

// CHECK-LABEL: schedule of muster_sizes_
// CHECK:         5 steps of time at once, where a and b change places
static void sizes(const std::vector<double> &a, std::vector<double> &b, std::size_t n, std::size_t m) {
#pragma omp parallel for
  for (std::size_t i = 1; i < n - 1; ++i)
    for (std::size_t j = 1; j < m - 1; ++j)
      b[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
}

static double **rowsOf(int n, int m) {
  double **rows = (double **)malloc(n * sizeof *rows);
#pragma ompx managed(all)
  double *all = (double *)malloc(n * m * sizeof *all);
  for (int i = 0; i < n; ++i) rows[i] = all + i * m;
  for (int i = 0; i < n * m; ++i) all[i] = i * 37 % 101;
  return rows;
}

int main() {
  const int n = 61, m = 83;
  double **a = rowsOf(n, m), **b = rowsOf(n, m);
  for (int step = 0; step < 40; ++step) {
    pointers(a, b, n, m);
    std::swap(a, b);
  }
  printf("pointers %.17g %.17g\n", total(n, m, a[0]), total(n, m, b[0]));

  for (const int longer : {0, 5}) {  // rows of other lengths have other neighbours
#pragma ompx managed(x, y)
    std::vector<std::vector<double>> x(n, std::vector<double>(m)), y(n, std::vector<double>(m + longer));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) x[i][j] = i * 29 % 83 + j, y[i][j] = j % 7;
    for (int step = 0; step < 40; ++step) {
      vectors(x, y, n, m);
      x.swap(y);
    }
    double sum = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) sum = sum * 0.999 + x[i][j] + 3 * y[i][j];
    printf("vectors %.17g\n", sum);
  }

  for (const int longer : {0, 5}) {
#pragma ompx managed(one, two)
    double *one = (double *)calloc(n * (m + 5), sizeof(double)), *two = (double *)calloc(n * (m + 5), sizeof(double));
    Grid from{n, m, one}, to{n, m + longer, two};
    for (int i = 0; i < n * m; ++i) from.data[i] = i * 41 % 97, to.data[i] = i % 11;
    for (int step = 0; step < 40; ++step) {
      grids(from, to);
      std::swap(from.data, to.data);
    }
    printf("grids %.17g %.17g\n", total(n, m, from.data), total(n, m, to.data));
  }

#pragma ompx managed(p, q)
  std::vector<double> p(n * m), q(n * m);
  for (int i = 0; i < n * m; ++i) p[i] = i * 43 % 89, q[i] = i % 13;
  for (int step = 0; step < 40; ++step) {
    sizes(p, q, n, m);
    std::swap(p, q);
  }
  printf("sizes %.17g %.17g\n", total(n, m, p.data()), total(n, m, q.data()));
}
// REPORT: muster_pointers_{{[0-9]+}}): 40 launches
// REPORT: 35 of them ran as steps of 7 launches
// REPORT: muster_vectors_{{[0-9]+}}): 80 launches
// REPORT: 35 of them ran as steps of 7 launches
// REPORT: muster_grids_{{[0-9]+}}): 80 launches
// REPORT: 35 of them ran as steps of 7 launches
// REPORT: muster_sizes_{{[0-9]+}}): 40 launches
// REPORT: 35 of them ran as steps of 7 launches
