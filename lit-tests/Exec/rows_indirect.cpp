// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that an index array chooses: read, and written by a permutation. The loops are distributed where the table's size
// is known.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs on rank 0
#include <cstdio>
#include <cstdlib>
#include <utility>

struct Mesh {
  int n;
  double **nodes;
};

static double **rows(int n, int m) {
#pragma ompx managed(a)
  double **a = (double **)malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i) a[i] = (double *)calloc(m, sizeof **a);
  return a;
}

static double total(double **a, int n, int m) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) sum += a[i][j] * (i % 5 + j);
  return sum;
}

static void refill(double **a, const int *idx, int n, double by) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[idx[i] % 7 == 0 ? 0 : i][3] = by;
}

static double ofNode(double **nodes, int node) { return nodes[node][0] + 2 * nodes[node][1]; }

int main() {
  const int n = 59, m = 11;
  double **a = rows(n, m), **b = rows(n, m);
#pragma ompx managed(idx)
  int *idx = new int[n];
  for (int i = 0; i < n; ++i) idx[i] = (i * 7 + 3) % n;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = i * m + j;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double *row = a[idx[i]];
    for (int j = 0; j < m; ++j) b[i][j] = row[j] + a[idx[(i + 1) % n]][m - 1 - j];
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[idx[i]][j] = b[i][j] - i;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[idx[i]][j] += 0.5 * j;
  Mesh mesh = {n, a}, none = {0, nullptr};
  for (Mesh *one : {&mesh, &none}) {
#pragma omp parallel for
    for (int i = 0; i < one->n; ++i) b[i][0] = one->nodes[idx[i]][1] + ofNode(one->nodes, idx[i]);
  }
  std::printf("%.12g %.12g\n", total(a, n, m), total(b, n, m));
  // CHECK: rows_indirect.cpp:36: this loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: row 2 is not where
  std::swap(a[2], a[9]), refill(a, idx, n, 1), std::swap(a[2], a[9]);
  refill(a + 3, idx, n - 3, 2);
  std::printf("%.12g\n", total(a, n, m));
  double **part = (double **)malloc(n * sizeof *part), *few[4], **ragged = rows(n, m);
  for (int i = 0; i < n; ++i) part[i] = a[i];
  for (int i = 0; i < 4; ++i) few[i] = a[10 + 2 * i];
  // CHECK-NEXT: rows_indirect.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU, as a plain loop: the rows of part are not evenly spaced: the loop computes which rows it uses, and only of a table that is allocated under 'managed' is it known how many there are
#pragma omp parallel for
  for (int i = 0; i < n; ++i) part[idx[i]][0] = i;
#pragma omp parallel for
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < m; ++j) few[idx[i] % 4][j] += j;
  std::printf("%.12g\n", total(a, n, m));
  // One row of another length, which has an array of its own; the loop does not use it.
  free(ragged[n - 1]);
#pragma ompx managed(ragged[n - 1])
  ragged[n - 1] = (double *)calloc(3 * m, sizeof **ragged);
  for (int i = 0; i < n; ++i) idx[i] = i % 7;
  // CHECK-NEXT: rows_indirect.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU, as a plain loop: the rows of ragged are not evenly spaced: row 58 is
#pragma omp parallel for
  for (int j = 0; j < m; ++j) ragged[idx[j]][j] = j + 1;
  std::printf("%.12g\n", total(ragged, n - 1, m));
}
// CHECK-NOT: this loop runs on rank 0
