// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C11 brought, in loops and around them. The plain program is the oracle.
//
// RUN: %plain-c -std=c11 -w %s -o %t.plain -lm && %run %t.plain > %t.expected
// RUN: %cc-link -std=c11 -O1 -w -fplugin-arg-muster-remarks=none %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %cc -std=c11 -Wno-unknown-pragmas -fsyntax-only %s 2>&1 | count 0
#include <stdio.h>
#include <stdlib.h>
#include <stdalign.h>
#include <stdnoreturn.h>
#define REPORT(a, n) do { double s = 0; for (int q = 0; q < (n); ++q) s += (q % 7 + 1) * (double)(a)[q]; printf("%d %.10g\n", __LINE__, s); } while (0)
#define absg(x) _Generic((x), float: absf1, double: absd1, default: absi1)(x)
static inline float absf1(float x) { return x < 0 ? -x : x; }
static inline double absd1(double x) { return x < 0 ? -x : x; }
static inline int absi1(int x) { return x < 0 ? -x : x; }
_Static_assert(sizeof(int) == 4, "int");
typedef struct { _Alignas(16) float v[4]; } V4;
static _Noreturn void die(void) { exit(3); }
int main(void) {
  const int N = 91;
#pragma ompx managed(a)
  double *a = aligned_alloc(64, 128 * sizeof *a);
#pragma ompx managed(v)
  V4 *v = aligned_alloc(16, 96 * sizeof *v);
  if (!a || !v) die();
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { _Static_assert(sizeof(V4) == 16, ""); a[i] = absg(i - 40.5) + absg(i - 40) + absg((float)i - 3.f); }
  REPORT(a, N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { alignas(16) float t[4] = {1, 2, 3, (float)a[i]}; for (int k = 0; k < 4; ++k) v[i].v[k] = t[k]; }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) a[i] = v[i].v[0] + v[i].v[3];
  REPORT(a, N);
  _Thread_local static int tl; tl = 3;
  int c = 0;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
#pragma omp atomic
    c += a[i] > 10;
  }
  printf("%d %d\n", c, tl);
  free(a); free(v);
}
