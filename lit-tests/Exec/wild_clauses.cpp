// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clauses, and globals that change between loops. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <omp.h>
#include "Inputs/wild_report.h"
static int gcount = 3;
static double table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
double coef = 0.5;
int main(int argc, char** argv) {
  int n = 600;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
  fill(a, n);
  fill(b, n, 2);
#pragma omp parallel for if (n > 1000)
  for (int i = 0; i < n; i++) a[i] += 1;
#pragma omp parallel for if (n > 100) num_threads(2) schedule(guided)
  for (int i = 0; i < n; i++) a[i] += coef;
  coef = 2;
  table[3] = 44;
#pragma omp parallel for schedule(runtime) num_threads(argc + 1)
  for (int i = 0; i < n; i++) a[i] += coef + table[i % 8] + gcount;
  double t;
  int k = 5;
  double f = 3;
#pragma omp parallel for private(t) firstprivate(f)
  for (int i = 0; i < n; i++) {
    t = a[i];
    t *= f;
    b[i] = t;
  }
#pragma omp parallel for firstprivate(k)
  for (int i = 0; i < n; i++) {
    int z = k;
    z += i;
    b[i] += z;
  }
  int last;
  double x;
#pragma omp parallel for lastprivate(last, x)
  for (int i = 0; i < n; i += 7) {
    last = i;
    x = b[i];
  }
  printf("%d %g\n", last, x);
#pragma omp parallel for default(none) shared(a, b, n) schedule(static, 16)
  for (int i = 0; i < n; i++) a[i] = b[i];
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) a[i] += b[i];
#pragma omp parallel for simd safelen(8) collapse(2)
  for (int i = 0; i < n / 10; i++)
    for (int j = 0; j < 10; j++) a[i * 10 + j] += i;
  double s = 100, mx = -1;
  int cnt = 0;
#pragma omp parallel for reduction(+ : s) reduction(max : mx) reduction(+ : cnt) collapse(2)
  for (int i = 0; i < n / 10; i++)
    for (int j = 0; j < 10; j++) {
      s += (int)a[i * 10 + j];
      if (b[i * 10 + j] > mx) mx = b[i * 10 + j];
      cnt += a[i * 10 + j] > 5;
    }
  printf("%g %g %d\n", s, mx, cnt);
  double err = 0;
#pragma omp parallel for reduction(max : err)
  for (int i = 1; i < n; i++) {
    double d = a[i] - a[i - 1];
    if (d < 0) d = -d;
    err = err > d ? err : d;
  }
  printf("%g\n", err);
#pragma omp parallel for ordered
  for (int i = 0; i < 5; i++) {
#pragma omp ordered
    printf("%g ", a[i]);
  }
  puts("");
#pragma omp parallel for proc_bind(close)
  for (int i = 0; i < n; i++) a[i] -= 1;
  int tid = 0;
#pragma omp parallel for reduction(max : tid)
  for (int i = 0; i < n; i++) {
    int id = omp_get_thread_num();
    if (id < 1000 && a[i] > -1e9) tid = tid > 1 ? tid : 1;
  }
  printf("%d\n", tid);
  report("a", a, n);
  report("b", b, n);
  delete[] a;
  delete[] b;
  (void)argv;
}
