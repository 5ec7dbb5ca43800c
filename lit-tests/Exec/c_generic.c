// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _Generic: only the branch that is chosen counts. The plain program is the oracle.
//
// RUN: %plain-c -std=gnu11 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -std=gnu11 -O1 -Wall -Werror %s -o %t.muster 2>&1 | %filecheck --allow-empty --check-prefix=SILENT %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// SILENT-NOT: muster
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const char* name, const double* a, long n) {
  double sum = 0, weighted = 0;
  for (long i = 0; i < n; ++i) sum += a[i], weighted += a[i] * (double)(i % 7);
  printf("%s %.17g %.17g\n", name, sum, weighted);
}

#include <stdint.h>
static inline float absf_(float x) { return x < 0 ? -x : x; }
static inline double absd_(double x) { return x < 0 ? -x : x; }
static inline int absi_(int x) { return x < 0 ? -x : x; }
#define ABS(x) _Generic((x), float: absf_, double: absd_, int: absi_)(x)
#define ZERO(x) _Generic((x), float: 0.0f, double: 0.5, default: 1)
#define TYPEID(p) _Generic((p), double*: 1, const double*: 2, float*: 3, default: 4)
#define sq(x)               \
  ({                        \
    __typeof__(x) _x = (x); \
    _x* _x;                 \
  })
static void k(int n, double* restrict a, const double* restrict b, float* restrict f, int32_t* restrict q) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = ABS(b[i]) + ABS(f[i]) + ABS(q[i]);
    f[i] = sqrtf(ABS(f[i])) + ZERO(f[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += TYPEID(a) + TYPEID(b) * 10 + TYPEID(f) * 100 + ZERO(a[i]) + sq(b[i]);
}
_Static_assert(sizeof(int32_t) == 4, "x");
int main(void) {
  enum { n = 333 };
#pragma ompx managed(a, b)
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
#pragma ompx managed(f)
  float* f = malloc(n * sizeof *f);
#pragma ompx managed(q)
  int32_t* q = malloc(n * sizeof *q);
  for (int i = 0; i < n; ++i) {
    b[i] = 7 - i;
    f[i] = 3 - i;
    q[i] = i - 100;
  }
  k(n, a, b, f, q);
  report("a", a, n);
  double s = 0;
  for (int i = 0; i < n; ++i) s += f[i];
  printf("%.17g\n", s);
  free(a), free(b), free(f), free(q);
}
