// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of tables that are not what they seem: planes that are missing, the same twice, exchanged, longer, reallocated,
// counted from 1, or looked at through a pointer; single rows, triangles, and rows whose number is computed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t 2>&1 | FileCheck --allow-empty --check-prefix=REMARKS %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// REMARKS-NOT: remark:
// CHECK: loop runs on rank 0's CPU, as a plain loop: the rows of t are not evenly spaced: they are not in one managed array
// CHECK: loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: there is no row 0
// CHECK: loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: the rows of entries 1 and 2
// CHECK: loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: row 1 of a table is not where
// CHECK: loop runs on rank 0's CPU, as a plain loop: the rows of a are not evenly spaced: row 1 of a table is not where
// CHECK-NOT: this loop runs
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
static double ***make(int n, int m, int l) {
#pragma ompx managed(a)
  double ***a = (double ***)malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) {
    a[i] = (double **)malloc(m * sizeof **a);
    for (int j = 0; j < m; j++) a[i][j] = (double *)calloc(l, 8);
  }
  return a;
}
static double ***f3tensor(int n, int m, int l) {  // counts from 1
  double ***t = (double ***)malloc((n + 1) * sizeof *t);
  t[1] = (double **)malloc((n * m + 1) * sizeof **t);
#pragma ompx managed(block)
  double *block = (double *)calloc(n * m * l + 1, 8);
  t[1][1] = block;
  for (int j = 2; j <= m; j++) t[1][j] = t[1][j - 1] + l;
  for (int i = 2; i <= n; i++) {
    t[i] = t[i - 1] + m;
    t[i][1] = t[i - 1][1] + m * l;
    for (int j = 2; j <= m; j++) t[i][j] = t[i][j - 1] + l;
  }
  return t;
}
static double sum(double ***a, int n, int m, int l, int b = 0) {
  double s = 0;
  for (int i = b; i < n + b; i++)
    for (int j = b; j < m + b; j++)
      for (int k = b; k < l + b; k++) s += a[i][j][k] * (i + 2 * j + 3 * k + 1);
  return s;
}
static void viaPointer(double ***out, int m, int l) {  // *out is a T **
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int k = 0; k < l; k++) (*out)[j][k] += j - k;
}
static void viaPointer4(double ****out, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) (*out)[i][j][k] += i * j - k;
}
static void cond(double ***a, const int *use, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (use[i])
      for (int j = 0; j < m; j++)
        for (int k = 0; k < l; k++) a[i][j][k] += 1;
}
static void tri(double ***a, int n, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < l; k++) a[i][j][k] += i + j;
}
static void last(double ***a, int n, int m, int l) {
#pragma omp parallel for
  for (int k = 0; k < l; k++) a[n - 1][m - 1][k] += k;
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i][m - 1][l - 1] += i;
#pragma omp parallel for
  for (int j = 0; j < m; j++) a[n - 1][j][0] += a[0][j][l - 1] + j;
}
static double readAny(double ***a, const int *w, int n, int m, int l) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) s += a[w[i]][w[(i + j) % n] % m][k];
  return s;
}
static int countRows(double ***a, int n) {
  int c = 0;
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; i++) {
    double *p = a[i][0];
    const double *q = a[i][1];
    c += (int)(q - p);
  }
  return c;
}
template <class F>
static void regions(double ***a, double ***b, int n, int m, int l, F f) {
#pragma omp parallel
  {
    for (int t = 0; t < 2; t++) {
#pragma omp for
      for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < m; j++)
          for (int k = 0; k < l; k++) b[i][j][k] = f(a[i - 1][j][k], a[i + 1][j][k]);
#pragma omp for
      for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < m; j++)
          for (int k = 0; k < l; k++) a[i][j][k] = b[i][j][k] * 0.5;
    }
  }
}
int main() {
  const int n = 11, m = 7, l = 9;
#pragma ompx managed(use)
  int *use = new int[n];
#pragma ompx managed(w)
  int *w = new int[n];
  for (int i = 0; i < n; i++) use[i] = i % 3 != 1, w[i] = (i * 4) % n;
  double ***a = make(n, m, l), ***b = make(n, m, l);
  double ***t = f3tensor(n, m, l);
#pragma omp parallel for
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      for (int k = 1; k <= l; k++) t[i][j][k] = i * j + k;
  printf("t %g\n", sum(t, n, m, l, 1));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++) a[i][j][k] = (i * j + k) % 5, b[i][j][k] = i;
  viaPointer(a, m, l);
  viaPointer(a + 3, m, l);
  printf("p %g\n", sum(a, n, m, l));
  viaPointer4(&a, n, m, l);
  printf("p4 %g\n", sum(a, n, m, l));
  cond(a, use, n, m, l);
  tri(a, m, l);
  last(a, n, m, l);
  printf("c %g\n", sum(a, n, m, l));
  double **gone = a[4];
  a[4] = nullptr;
  use[4] = 0;
  cond(a, use, n, m, l);
  a[4] = gone;
  printf("n %g\n", sum(a, n, m, l));
  printf("any %g\n", readAny(a, w, n, m, l));
  printf("rows %d\n", countRows(a, n) > 0);
  regions(a, b, n, m, l, [](double x, double y) { return x - y; });
  printf("r %g %g\n", sum(a, n, m, l), sum(b, n, m, l));
  double **same = a[2];
  a[2] = a[1];
  cond(a, use, 1, m, l);
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int k = 0; k < l; k++) b[0][j][k] = a[2][j][k] + a[1][j][k];
  printf("s %g\n", sum(b, n, m, l));
  a[2] = same;
  // a longer table in place of another, with the same rows
  double **more = (double **)malloc((m + 1) * sizeof *more);
  memcpy(more, a[5], m * sizeof *more);
  more[m] = a[0][0];
  std::swap(more, a[5]);
  tri(a, m, l);
  last(a, n, m, l);
  printf("m %g\n", sum(a, n, m, l));
  std::swap(more, a[5]);
  // rows of one plane exchanged for a moment
  std::swap(a[3][1], a[3][2]);
  last(a, n, m, l);
  tri(a, m, l);
  printf("x %g\n", sum(a, n, m, l));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) free(a[i][j]);
    free(a[i]);
  }
  free(a);
  double ***c = make(n, m + 1, l);
  tri(c, m, l);
  last(c, n, m, l);
  printf("again %g\n", sum(c, n, m, l));
  // planes that are reallocated
  c[2] = (double **)realloc(c[2], (m + 5) * sizeof **c);
  tri(c, m, l);
  printf("realloc %g\n", sum(c, n, m, l));
}
