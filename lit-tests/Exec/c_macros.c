// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, regions and functions that macros make in C; several loops have one line. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -Wall -Wextra -Werror %s -o %t.muster 2>&1 | count 0
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %cc -std=c99 -w -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck %s
// CHECK-COUNT-11: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include "Inputs/c_one_line.h"
#include <stdio.h>
#include <stdlib.h>
#define PRAGMA(x) _Pragma(#x)
#define OMP(x) PRAGMA(omp x)
#define PFOR OMP(parallel for)
#define FOR(i, lo, hi) OMP(for) for (int i = (lo); i < (hi); i++)
#define LOOP2D(i, j, n, m, ...) OMP(parallel for collapse(2)) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { __VA_ARGS__ }
#define END ;
#define BEGIN {
#define FINISH }
#define AT(a, i, j) a[(i) * m + (j)]
#define UPDATE(T) static void update_##T(T *a, int n, T by) { PFOR for (int i = 0; i < n; i++) a[i] += by; }
#define STR(x) #x
#define LOGGED(stmt) do { OMP(parallel for) for (int i = 0; i < n; ++i) { stmt; } printf("%s at %d\n", #stmt, __LINE__); } while (0)
UPDATE(float)
UPDATE(double)
#define REPORT(a, n) do { double s = 0; for (int q = 0; q < (n); ++q) s += (q % 7 + 1) * (double)(a)[q]; printf("%d %.10g\n", __LINE__, s); } while (0)
#define MANAGE(x) OMP(managed(x))
#ifndef __MUSTER__
#undef MANAGE
#define MANAGE(x)
#endif
int main(void) {
  int n = 31, m = 17, N = n * m;
  MANAGE(a)
  double *a = (double *)malloc(N * sizeof *a);
  MANAGE(b) double *b = (double *)malloc(N * sizeof *b);
  MANAGE(f)
  float *f = (float *)calloc(N, sizeof *f);
  LOOP2D(i, j, n, m, AT(a, i, j) = i + 0.5 * j;
         AT(b, i, j) = 0;)
  REPORT(a, N);
  update_float(f, N, 2.5f); update_double(a, N, 1); REPORT(f, N);
#pragma omp parallel
  {
    for (int t = 0; t < 2; ++t) {
      FOR(i, 1, n - 1) for (int j = 1; j < m - 1; ++j) AT(b, i, j) = 0.25 * (AT(a, i - 1, j) + AT(a, i + 1, j) + AT(a, i, j - 1) + AT(a, i, j + 1)) END
      FOR(i, 0, n) BEGIN for (int j = 0; j < m; ++j) AT(a, i, j) += AT(b, i, j); FINISH
    }
  }
  REPORT(a, N);
  LOGGED(b[i] = a[i] * 2);
  if (n > 3) PFOR for (int i = 0; i < N; ++i) b[i] -= 1; else b[0] = 3;
  REPORT(b, N);
  OMP(parallel) OMP(for) for (int i = 0; i < N; ++i) b[i] *= 3;
  OMP(parallel) { OMP(for nowait) for (int i = 0; i < N; ++i) b[i] += 3; OMP(for) for (int i = 0; i < N; ++i) f[i] = (float)i; }
  REPORT(b, N); REPORT(f, N);
  lastLine(b, N);
  REPORT(b, N);
  free(a);
  free(b);
  free(f);
}
