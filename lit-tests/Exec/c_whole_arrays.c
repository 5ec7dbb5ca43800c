// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sizeof of arrays in and around loops, where native code has pointers. The plain program is the oracle.
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

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
#pragma ompx managed(g)
static double g[640];
#pragma ompx managed(m)
static double m[40][16];
static void f(void) {
#pragma omp parallel for
  for (int i = 0; i < (int)LEN(g); ++i) g[i] = i / (double)sizeof(g) + LEN(g);
#pragma omp parallel for
  for (size_t i = 0; i < LEN(m); ++i)
    for (size_t j = 0; j < LEN(m[0]); ++j) m[i][j] = (double)(i * sizeof m[i] + j * sizeof(m[i][j]));
#pragma omp parallel for
  for (size_t i = 0; i < LEN(m); ++i)
    for (size_t j = 0; j < LEN(m[i]); ++j) m[i][j] += (double)LEN(m) + sizeof(*m);
}
int main(void) {
#pragma ompx managed(l)
  double l[100];
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) l[i] = i + sizeof(l) / sizeof *l + sizeof(l[i]);
  f();
#pragma ompx managed(p)
  double* p = malloc(100 * sizeof *p);
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) p[i] = sizeof p + sizeof *p + sizeof(p[0]) + l[i];
  double tab[5] = {1, 2, 3, 4, 5};
#pragma omp parallel for
  for (int i = 0; i < 100; ++i)
    for (unsigned k = 0; k < sizeof tab / sizeof tab[0]; ++k) p[i] += tab[k];
  report("g", g, 640);
  report("m", &m[0][0], 640);
  report("l", l, 100);
  report("p", p, 100);
  free(p);
}
