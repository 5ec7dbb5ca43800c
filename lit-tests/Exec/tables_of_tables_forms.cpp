// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which loops reach tables of tables: lambdas, members of objects and their methods, functions, globals,
// references, counters of row pointers, collapsed loops. All are distributed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --allow-empty --check-prefix=REMARKS %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck --check-prefix=INFO %s
// REMARKS-NOT: remark:
// INFO-NOT: this loop runs
#include <cstdio>
#include <cstdlib>
typedef double **Plane;
typedef Plane *Cube;
static Cube make(int n, int m, int l) {
#pragma ompx managed(a)
  Cube a = new Plane[n];
  for (int i = 0; i < n; i++) {
    a[i] = new double *[m];
    for (int j = 0; j < m; j++) a[i][j] = new double[l]();
  }
  return a;
}
struct Box {
  Cube c;
  int n, m, l;
  double &operator()(int i, int j, int k) const { return c[i][j][k]; }
  double *row(int i, int j) const { return c[i][j]; }
};
struct Two {
  Box a, b;
};
template <class F>
static void each(int n, F f) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) f(i);
}
static double sum(Cube a, int n, int m, int l) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) s += a[i][j][k] * (i + 2 * j + 3 * k + 1);
  return s;
}
static inline double get(Cube c, int i, int j, int k) { return c[i][j][k]; }
static inline void put(double *row, int k, double v) { row[k] = v; }
Cube global;
int main() {
  const int n = 9, m = 8, l = 7;
  Cube a = make(n, m, l), b = make(n, m, l);
  global = make(n, m, l);
  each(n, [=](int i) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) a[i][j][k] = i * j + k;
  });
  each(n, [&](int i) {
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) b[i][j][k] = a[i][j][k] * 2;
  });
  printf("%g %g\n", sum(a, n, m, l), sum(b, n, m, l));
  Box x{a, n, m, l};
  Two t{x, {b, n, m, l}};
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) x(i, j, k) += t.b(i, j, k);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double *r = t.a.row(i, j);
      for (int k = 0; k < l; k++) r[k] -= get(t.b.c, i, j, k);
    }
  printf("%g %g\n", sum(a, n, m, l), sum(b, n, m, l));
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) global[i][j][k] = a[i][j][k] + i, put(b[i][j], k, global[i][j][k]);
  printf("%g %g\n", sum(global, n, m, l), sum(b, n, m, l));
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      for (double *p = a[i][j], *e = a[i][j] + l; p < e; p++) *p += 1;
    }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) *(*(*(a + i) + j) + k) += (i % 2 ? a[i][j] : b[i][j])[k];
  printf("%g\n", sum(a, n, m, l));
  printf("%g\n", sum(b, n, m, l));
  Cube c = a;
  Cube &d = b;
#pragma omp parallel for firstprivate(c)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) d[i][j][k] -= c[i][j][k] * 0.5;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Cube e = a;
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) d[i][j][k] -= e[i][j][k] * 0.5;
  }
#pragma omp parallel for
  for (unsigned char i = 0; i < n; i++)
    for (short j = 0; j < m; j++)
      for (long k = 0; k < l; k++) d[i][j][k] -= a[n - 1 - i][m - 1 - j][l - 1 - k];
  printf("%g\n", sum(b, n, m, l));
  double total = 0;
#pragma omp parallel for collapse(3) reduction(+ : total)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) total += d[i][j][k] * (i % 3);
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : total)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j][0] = i;
  printf("%g %g\n", total, sum(a, n, m, l));
}
