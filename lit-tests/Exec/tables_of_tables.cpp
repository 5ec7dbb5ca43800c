// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of tables of rows (T ***a), in the ways in which programs allocate them: row by row, planes or all rows in one
// block, tables in one block. All loops are distributed; where planes were exchanged, or tables differ in their length,
// the loop is the plain loop.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --allow-empty --check-prefix=REMARKS %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// REMARKS-NOT: remark:
#include <cstdio>
#include <cstdlib>
#include <utility>

static double ***rowByRow(int n, int m, int l) {
#pragma ompx managed(a)
  double ***a = new double **[n];
  for (int i = 0; i < n; ++i) {
    a[i] = new double *[m];
    for (int j = 0; j < m; ++j) a[i][j] = new double[l]();
  }
  return a;
}
static void freeRows(double ***a, int n, int m) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) delete[] a[i][j];
    delete[] a[i];
  }
  delete[] a;
}

static double ***planes(int n, int m, int l) {
#pragma ompx managed(a)
  double ***a = (double ***)malloc(n * sizeof(double **));
  for (int i = 0; i < n; ++i) a[i] = (double **)malloc(m * sizeof(double *));
  for (int i = 0; i < n; ++i) {
    a[i][0] = (double *)calloc(m * l, sizeof(double));
    for (int j = 1; j < m; ++j) a[i][j] = a[i][0] + j * l;
  }
  return a;
}

static double ***oneBlock(int n, int m, int l) {
#pragma ompx managed(a)
  double ***a = (double ***)malloc(n * sizeof(double **));
  a[0] = (double **)malloc(n * m * sizeof(double *));
  a[0][0] = (double *)calloc(n * m * l, sizeof(double));
  for (int i = 0; i < n; ++i) {
    a[i] = a[0] + i * m;
    for (int j = 0; j < m; ++j) a[i][j] = a[0][0] + (i * m + j) * l;
  }
  return a;
}

// Tables that Muster does not know.
static double ***plainTables(double *block, int n, int m, int l) {
  double ***a = new double **[n];
  for (int i = 0; i < n; ++i) {
    a[i] = new double *[m];
    for (int j = 0; j < m; ++j) a[i][j] = block + (i * m + j) * l;
  }
  return a;
}

static void fill(double ***a, int n, int m, int l) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < l; ++k) a[i][j][k] = (i * 7 + j * 5 + k * 3) % 13;
}
static void relax(double ***v, double const *const *const *u, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      double lines[64];
      for (int k = 0; k < l; ++k) lines[k] = u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k];
      double *row = v[i][j];
      for (int k = 1; k < l - 1; ++k) row[k] = 0.125 * (lines[k] + *(*(*(u + i) + j) + k - 1) + (*(u[i] + j))[k + 1]);
    }
}
// Only some planes and rows: of one there is no distance to the next.
static void edges(double ***a, int n, int m, int l) {
#pragma omp parallel for
  for (int j = 0; j < m; ++j)
    for (int k = 0; k < l; ++k) a[0][j][k] += a[n - 2][j][k], a[n - 1][j][k] = 2;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < l; ++k) a[i][0][k] += i;
#pragma omp parallel for
  for (int k = 0; k < l; ++k) a[0][0][k] += k;
#pragma omp parallel for
  for (int k = 0; k < l; ++k) a[2][3][k] += k + 0 * ***a;
}
static double at(double ***a, int i, int j, int k) { return a[i][j][k]; }
static double sum(double ***a, int n, int m, int l) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < l; ++k) s += at(a, i, j, k) * (i + 2 * j + 3 * k);
  return s;
}

struct Grid {
  double ***u, ***v;
  int n, m, l;
  double value(int i, int j, int k) const { return u[i][j][k] * 2; }
  void copy() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        for (int k = 0; k < l; ++k) v[i][j][k] = value(i, j, k) - u[i][j][0];
  }
};

template <class T>
static void scale(T ***a, int n, int m, int l, T by) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < l; ++k) a[i][j][k] *= by;
}

// Which row it is is computed.
static void chosen(double ***a, const int *which, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < l; ++k) a[i][1][k] += a[0][which[i]][k];
}

static void fourDimensions(int n) {
#pragma ompx managed(block)
  float *block = new float[n * n * n * n];
  float ****a = new float ***[n];
  for (int i = 0; i < n; ++i) {
    a[i] = new float **[n];
    for (int j = 0; j < n; ++j) {
      a[i][j] = new float *[n];
      for (int k = 0; k < n; ++k) a[i][j][k] = block + ((i * n + j) * n + k) * n;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l) a[i][j][k][l] = i * 1000 + j * 100 + k * 10 + l;
  float s = 0;
  for (int i = 0; i < n * n * n * n; ++i) s += block[i] * (i % 7);
  std::printf("%g %g\n", s, a[n - 1][1][2][3]);
}

static void use(double ***a, double ***b, int n, int m, int l) {
  fill(a, n, m, l), fill(b, n, m, l);
  for (int t = 0; t < 3; ++t) {
    relax(b, a, n, m, l);
    edges(b, n, m, l);
    std::swap(a, b);
  }
  Grid grid = {a, b, n, m, l};
  grid.copy();
  scale(b, n, m, l, 0.5);
  std::printf("%.15g %.15g %.15g\n", sum(a, n, m, l), sum(b, n, m, l), a[1][2][3]);
}

int main() {
  const int n = 13, m = 9, l = 22;
#pragma ompx managed(block)
  double *block = new double[n * m * l];
#pragma ompx managed(which)
  int *which = new int[n];
  for (int i = 0; i < n; ++i) which[i] = (i * 5) % m;
  double ***a = rowByRow(n, m, l), ***b = rowByRow(n, m, l), ***c = planes(n, m, l), ***d = oneBlock(n, m, l);
  double ***e = plainTables(block, n, m, l);
  use(a, b, n, m, l);
  use(c, d, n, m, l);
  use(d, e, n, m, l);
  chosen(b, which, n, m, l);
  fourDimensions(5);
  std::printf("%.15g\n", sum(b, n, m, l));
  // CHECK-NOT: this loop runs
  // CHECK: tables_of_tables.cpp:[[@LINE+3]]:{{.*}}this loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced:
  std::swap(a[1], a[2]);
  std::swap(e[1][1], e[2][1]);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][1][0] += i;
  // CHECK: this loop runs on rank 0's CPU, as a plain loop: the rows of e are not evenly spaced: row 1 of a table is not where
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) e[i][j][0] += i;
  std::printf("%.15g %.15g\n", a[1][1][0], e[1][1][0]);
  std::swap(a[1], a[2]);
  freeRows(a, n, m), freeRows(b, n, m);
  // Of a table that is longer the others' rows are not apart as far.
#pragma ompx managed(ragged)
  double ***ragged = new double **[4];
  for (int i = 0; i < 4; ++i) {
    ragged[i] = new double *[i + 3];
    for (int j = 0; j < i + 3; ++j) ragged[i][j] = new double[7]();
  }
  // CHECK: this loop runs on rank 0's CPU, as a plain loop: the rows of ragged are not evenly spaced
#pragma omp parallel for
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i + 3; ++j) ragged[i][j][2] += i + j;
  std::printf("%g\n", ragged[3][5][2]);
}
// CHECK-NOT: this loop runs
