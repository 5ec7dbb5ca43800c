// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where directives may stand: before a macro that declares, before consecutive declarations that together declare what
// they name, before an `if` whose branches allocate, at the declaration and at the allocations.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-strict -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>
#define ARRAY_2D(a, type, n, m) \
  type(*a)[n][m];               \
  a = (type(*)[n][m])std::malloc(sizeof(type) * (n) * (m))
#define REAL double
// CHECK-DAG: annotations.cpp:[[@LINE+2]]:22: remark: array 'x' is partitioned
// CHECK-DAG: annotations.cpp:[[@LINE+1]]:25: remark: array 'y' is partitioned
#pragma ompx managed(x, y)
static REAL x[100];
static REAL y[100];
struct Fields {
#pragma ompx managed(u, v)
  double *u;
  double *v;
};
int main(int argc, char **) {
  const int n = 100;
// CHECK-DAG: annotations.cpp:[[@LINE+1]]:22: remark: array 'A' is partitioned
#pragma ompx managed(A)
  ARRAY_2D(A, REAL, 20, 30);
#pragma ompx managed(a, b, c)
  double *a = new double[n], *other = nullptr;
  double *b = (double *)std::malloc(n * sizeof(double));
  REAL *c = new double[n];
#pragma ompx managed(d)
  double *d = nullptr;
  if (argc > 1)
#pragma ompx managed(d)
    d = new double[n];
  else
#pragma ompx managed(d)
    d = new double[n + 1];
  double *e;
#pragma ompx managed(e)
  if (argc > 1)
    e = new double[n + 2];
  else
    e = (double *)std::calloc(n, sizeof(double));
  Fields f;
  f.u = new double[n];
  f.v = new double[n];
#pragma omp parallel for
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 30; ++j) (*A)[i][j] = i + j;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 2 * i;
    c[i] = 3;
    d[i] = (*A)[i / 30][i % 30];
    e[i] = a[i] + b[i] + c[i] + d[i];
    x[i] = e[i];
    y[i] = x[i] + 1;
    f.u[i] = y[i];
    f.v[i] = 1;
  }
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += f.u[i] * f.v[i];
  std::printf("%.17g %.17g %.17g %d\n", sum, y[7], e[99], __LINE__);
}
