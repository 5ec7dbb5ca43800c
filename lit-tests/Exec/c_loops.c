// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as C programs write them, in all standards from C99 on, without a warning. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c99 -pedantic -Wall -Wextra -Werror %s -o %t.c99 && %run %t.c99 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.c99 | diff %t.expected -
// RUN: %cc-link -O2 -std=c11 -pedantic -Wall -Wextra -Werror %s -o %t.c11 && %run %t.c11 | diff %t.expected -
// RUN: %cc-link -O1 -std=gnu23 -pedantic -Wall -Wextra -Werror -g %s -o %t.c23 && %run %t.c23 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.c23 | diff %t.expected -
// Every loop is distributed:
// RUN: %cc -fsyntax-only %s 2>&1 | %filecheck --allow-empty --check-prefix=SILENT %s
// SILENT-NOT: muster
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { COLD, WARM = 3, HOT };

static int level = 4;
static const double weights[3] = {0.25, 0.5, 0.25};

static inline double smooth(const double *restrict a, int i) {
  return weights[0] * a[i - 1] + weights[1] * a[i] + weights[2] * a[i + 1] + level;
}

// Counters declared outside, restrict, a callee that reads tables and globals.
static void stencil(double *restrict out, const double *restrict in, int n) {
  int i;
#pragma omp parallel for
  for (i = 1; i < n - 1; i++) out[i] = smooth(in, i);
}

// Signedness: comparisons as C converts them, counts of unsigned and narrow types, down to zero, != and steps.
static long counted(int *a, unsigned n) {
  long sum = 0;
  unsigned u;
  unsigned short h;
  signed char c;
  size_t z;
  int i;
#pragma omp parallel for
  for (u = 0; u < n; u++) a[u] = (int)(u * 2654435761u >> 16);
#pragma omp parallel for reduction(+ : sum)
  for (h = 3; h != 43; h++) sum += a[h];
#pragma omp parallel for reduction(+ : sum)
  for (c = 100; c > -28; c -= 4) sum += a[c + 28];
#pragma omp parallel for reduction(+ : sum)
  for (z = n; z > 7; z -= 3) sum += a[z - 1] & 255;
#pragma omp parallel for reduction(+ : sum)
  for (i = 0; i <= (int)n - 1; i += level) sum += a[i] % 10;
  return sum;
}

// Reductions of all kinds, lastprivate, firstprivate, private, and enumerations.
static void reduced(const double *x, const int *a, int n, enum kind kind) {
  double least = 1e30, most = -1e30, product = 1;
  int bits = 0, all = ~0, odd = 0, any = 0, every = 1, last = -1, i, first = 5;
  unsigned char small = 255;
  double t;
#pragma omp parallel for private(t) firstprivate(first) lastprivate(last) reduction(min : least, small) \
    reduction(max : most) reduction(* : product)
  for (i = 0; i < n; i++) {
    t = x[i] * 2 + first;
    if (t < least) least = t;
    if (most < t) most = t;
    if (i % 50 == 0) product *= kind == HOT ? 1.5 : 0.5;
    if ((a[i] & 63) + 9 < small) small = (unsigned char)((a[i] & 63) + 9);
    last = a[i];
  }
#pragma omp parallel for reduction(| : bits) reduction(& : all) reduction(^ : odd) reduction(|| : any) reduction(&& : every)
  for (i = 0; i < n; i++) {
    bits |= a[i] & 0x55;
    all &= a[i] | 0xf0;
    odd ^= a[i];
    any = any || a[i] == 77;
    every = every && a[i] >= 0;
  }
  printf("%.12g %.12g %.12g %d %d %d %d %d %d %d\n", least, most, product, bits, all, odd, any, every, last, small);
}

// Histograms: atomic updates, and an array with a reduction that is not managed.
static void histogram(const int *a, int *bins, int n) {
  int i, own[16] = {0};
#pragma omp parallel for
  for (i = 0; i < n; i++) {
#pragma omp atomic
    bins[a[i] & 31]++;
  }
#pragma omp parallel for reduction(+ : own[:16])
  for (i = 0; i < n; i++) own[a[i] & 15] += 2;
  for (i = 0; i < 16; i++) printf("%d %d ", bins[i], own[i]);
  printf("\n");
}

// A nest, a triangular solve by columns, and a conditional launch.
static void nests(float *m, int n) {
  int i, j, k;
#pragma omp parallel for collapse(2) if (n > 3)
  for (i = 0; i < n; i++)
    for (j = 0; j < n; ++j) m[i * n + j] = (float)(i == j ? n : 1.0 / (1 + abs(i - j)));
  for (k = 0; k < n; k++) {
#pragma omp parallel for private(j)
    for (i = k + 1; i < n; i++) {
      const float f = m[i * n + k] / m[k * n + k];
      for (j = k; j < n; j++) m[i * n + j] -= f * m[k * n + j];
      m[i * n + k] = f;
    }
  }
}

int main(void) {
  const int n = 203;
  int i;
  double sum = 0;
#pragma ompx managed(x, y)
  double *x = malloc(n * sizeof *x), *y = calloc((size_t)n, sizeof(double));
#pragma ompx managed(a, bins)
  int *a = (int *)malloc(sizeof(int) * (size_t)n), *bins = calloc(32, sizeof *bins);
#pragma ompx managed(m)
  float *m = malloc(sizeof(float) * 23 * 23);
  if (!x || !y || !a || !bins || !m) return 1;
  for (i = 0; i < n; i++) x[i] = sin(i) * 10;
  stencil(y, x, n);
  printf("%ld\n", counted(a, (unsigned)n));
  reduced(x, a, n, HOT);
  histogram(a, bins, n);
  nests(m, 23);
  for (i = 0; i < n; i++) sum += y[i] + a[i];
  for (i = 0; i < 23 * 23; i++) sum += (double)m[i] * i;
  printf("%.12g\n", sum);
  x = realloc(x, 3 * (size_t)n * sizeof(double));
  printf("%.12g\n", x[n - 1]);
  free(x);
  free(y);
  free(a);
  free(bins);
  free(m);
  return EXIT_SUCCESS;
}
