// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <tgmath.h> and complex numbers of C. The plain program is the oracle; numbers are printed to as many digits as the
// libraries of host and devices agree in.
//
// RUN: %plain-c -w %s -o %t.plain -latomic && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c99 -Wall -Wextra -Werror %s -o %t.c99 -latomic && %run %t.c99 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.c99 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// RUN: %cc-link -O2 -std=gnu23 -Wall -Wextra -Werror %s -o %t.c23 -latomic && %run %t.c23 | diff %t.expected -
// RUN: %cc -fsyntax-only %s 2>&1 | %filecheck %s
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <tgmath.h>

typedef double complex number;

static void report(const char *name, const double *a, int n) {
  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) sum += a[i], weighted += a[i] * (i % 7);
  printf("%s %.9g %.9g\n", name, sum, weighted);
}

static void generic(int n, double *restrict a, float *restrict f, const int *k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = sqrt(a[i]) + pow(a[i], 2) + fabs(sin(a[i])) + fmax(a[i], 1.0f) + exp(-a[i]) + sqrt(k[i]);
    f[i] = sqrt(f[i]) + fmin(f[i], 2.0f) + floor(f[i]) + fma(f[i], 2.0f, 1.0f);
  }
}
static void made(int n, number *a, const double *re, float complex *f) {
  const number w = cexp(-2 * 3.14159265358979 * I / n);
  number start = 1.0 + 2.0 * I;
#pragma omp parallel for firstprivate(start)
  for (int i = 0; i < n; i++) {
    start = i + 2.0 * I;
    a[i] = re[i] + I * re[n - 1 - i] + start;
    a[i] *= 2.0 - 0.5 * I;
    a[i] = -a[i] * w / (1 + a[i]);
    f[i] = (float)re[i] * (1.0f + 2.0f * I);
  }
}
static void parts(int n, const number *a, const float complex *f, double *out) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    out[i] = creal(a[i]) + 2 * cimag(a[i]) + creal(a[i] * conj(a[i])) + cabs(a[i]) + carg(a[i]) + crealf(f[i]) +
             cimag(conj(f[i])) + fabs(a[i]) + __real__ a[i] + (a[i] == 2.0 * I);
}
static void butterflies(int n, number *restrict x) {
#pragma omp parallel for
  for (int i = 0; i < n / 2; i++) {
    number even = x[2 * i], odd = x[2 * i + 1] * cexp(I * (i * 0.25));
    x[2 * i] = even + odd;
    x[2 * i + 1] = even - odd;
  }
}
// Conditions that C++ would convert to bool.
static void chosen(int n, const number *restrict x, double *restrict a, float *restrict f) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = a[i] - i * 0.01 ? f[i] : -1;
    f[i] = x[i] * (i % 3) ? 2 : f[i] ? 3 : a[i] && !x[i];
    const double infinite = 1.0 / 0.0, none = infinite - infinite, some = a[i] * infinite;
    if (x[i] || f[i]) a[i] += (none != none) + 2 * (none == none) + 4 * (some != some) + 8 * (some - some == some - some);
    _Bool any = x[i];
    a[i] += any;
  }
}
// No kernel for these:
// CHECK: :[[#@LINE+3]]:1: remark: loop 'muster_sum_[[#@LINE+3]]' runs on CPUs only: result 'sum' has type 'number', which OpenCL does not have (line [[#@LINE+2]])
static number sum(int n, const number *x) {
  number sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i];
  return sum;
}
// CHECK: :[[#@LINE+2]]:1: remark: loop 'muster_roots_[[#@LINE+2]]' runs on CPUs only: calls 'csqrt', which has no OpenCL counterpart (line [[#@LINE+3]])
static void roots(int n, number *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = csqrt(x[i]) + clog(x[i]);
}

int main(void) {
  enum { N = 1000 };
#pragma ompx managed(a)
  double *a = (double *)malloc(N * sizeof *a);
#pragma ompx managed(f)
  float *f = (float *)malloc(N * sizeof *f);
#pragma ompx managed(k)
  int *k = (int *)malloc(N * sizeof *k);
#pragma ompx managed(x)
  number *x = (number *)malloc(N * sizeof *x);
#pragma ompx managed(y)
  float complex *y = (float complex *)malloc(N * sizeof *y);
#pragma ompx managed(out)
  double *out = (double *)malloc(N * sizeof *out);
  for (int i = 0; i < N; i++) a[i] = 0.01 * i, f[i] = 0.5f * i, k[i] = i;
  generic(N, a, f, k);
  double total = 0;
  for (int i = 0; i < N; i++) total += f[i];
  report("a", a, N), printf("f %.9g\n", total);
  made(N, x, a, y);
  report("x", (double *)x, 2 * N);
  parts(N, x, y, out);
  report("out", out, N);
  butterflies(N, x);
  report("x", (double *)x, 2 * N);
  x[7] = 0;
  chosen(N, x, a, f);
  total = 0;
  for (int i = 0; i < N; i++) total += f[i];
  report("chosen", a, N), printf("f %.9g\n", total);
  const number all = sum(N, x);
  printf("sum %.9g %.9g\n", creal(all), cimag(all));
  roots(N, x);
  report("x", (double *)x, 2 * N);
  free(a), free(f), free(k), free(x), free(y), free(out);
  return 0;
}
