// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over sections of arrays of several dimensions, and of several arrays, in C and C++. The plain program is
// the oracle. The sums are exact, so that their order does not show.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.c | FileCheck %s
// RUN: %run %t.c | diff %t.expected -
// RUN: %muster-link -O1 -w -x c++ %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t.c | diff %t.expected -
// RUN: %muster++ -w -x c++ -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck %s
// CHECK-COUNT-9: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <stdio.h>
#include <stdlib.h>

static double all[4][16];

static void show(const char *what, const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += (i % 13 + 1) * a[i];
  printf("%s %.17g %.17g\n", what, s, a[n / 2]);
}

static void rows(const double *x, int n, int m) {
  double h[4][16] = {{1, 2}, {3}};
#pragma omp parallel for reduction(+ : h[0 : 4][0 : 16])
  for (int i = 0; i < n; ++i) h[i % 4][i % 16] += x[i];
  show("whole", &h[0][0], 64);
#pragma omp parallel for reduction(+ : h) reduction(+ : all)
  for (int i = 0; i < n; ++i) {
    h[i % 4][i % 16] += x[i];
    all[i % 3][i % 11] -= x[i];
  }
  show("named", &h[0][0], 64), show("global", &all[0][0], 64);
#pragma omp parallel for reduction(+ : h[1 : 2][0 : 16])
  for (int i = 0; i < n; ++i) h[1 + i % 2][i % 16] += x[i];
  show("some rows", &h[0][0], 64);
#pragma omp parallel for reduction(+ : h[m - 4][2 : m])
  for (int i = 0; i < n; ++i) h[m - 4][2 + i % m] += x[i];
  show("part of a row", &h[0][0], 64);
#pragma omp parallel for reduction(- : h[3][:])
  for (int i = 0; i < n; ++i) h[3][i % 16] -= x[i];
  show("a row", &h[0][0], 64);
}

static void pointers(const double *x, int n, int m) {
  double(*p)[16] = (double(*)[16])calloc(6, sizeof *p);
#pragma omp parallel for reduction(+ : p[0 : m + 1][0 : 16])
  for (int i = 0; i < n; ++i) p[i % 6][i % 16] += x[i];
  show("pointer", &p[0][0], 96);
#pragma omp parallel for reduction(max : p[1 : m - 3][:])
  for (int i = 0; i < n; ++i)
    if (40 * x[i] > p[1 + i % 2][i % 16]) p[1 + i % 2][i % 16] = 40 * x[i];
  show("greatest", &p[0][0], 96);
  free(p);
}

static void several(const double *x, int n, int m) {
  double a[8] = {5}, b[12] = {0}, cube[3][4][5] = {{{2}}};
#pragma omp parallel for reduction(+ : a[0 : m], b[2 : m + 1])
  for (int i = 0; i < n; ++i) {
    a[i % m] += x[i];
    b[2 + i % (m + 1)] += 2 * x[i];
  }
#pragma omp parallel for reduction(+ : cube[1:][ : 4][0 : 5]) reduction(min : a[ : m])
  for (int i = 0; i < n; ++i) {
    cube[1 + i % 2][i % 4][i % 5] += i;
    if (-x[i] < a[i % m]) a[i % m] = -x[i];
  }
  show("a", a, 8), show("b", b, 12), show("cube", &cube[0][0][0], 60);
}

int main(int argc, char **argv) {
  const int n = 3001, m = 4 + argc;
#pragma ompx managed(x)
  double *x = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) x[i] = i * 7 % 11 * 0.25;
  rows(x, n, m);
  pointers(x, n, m);
  several(x, n, m);
  free(x);
  return argc > 5 ? (int)argv[0][0] : 0;
}
