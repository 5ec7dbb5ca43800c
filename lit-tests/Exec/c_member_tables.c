// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers that are members, s->u[k][i], with k constant or a variable of the launch site. The plain program
// is the oracle.
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

struct g {
  double* u[3];
  double* f[3];
  int n;
  double c[3];
};
static void init(struct g* s) {
#pragma omp parallel for
  for (int i = 0; i < s->n; ++i) {
    s->u[0][i] = i;
    s->u[1][i] = 2 * i;
    s->u[2][i] = 0.5 * i;
  }
  for (int k = 0; k < 3; ++k) {
#pragma omp parallel for
    for (int i = 0; i < s->n; ++i) s->f[k][i] = s->u[k][i] * s->c[k];
  }
}
static double red(struct g* s, int from, int to) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < s->n; ++i) sum += s->f[from][i] - s->f[to][i];
  return sum;
}
static double* x[2];
static void toggle(int n) {
  for (int t = 0; t < 4; ++t) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) x[(t + 1) % 2][i] = 0.5 * (x[t % 2][i - 1] + x[t % 2][i + 1]);
  }
}
int main(void) {
  struct g s = {.n = 500, .c = {1, 2, 3}};
  for (int k = 0; k < 3; ++k) {
#pragma ompx managed(s.u[k])
    s.u[k] = malloc(s.n * sizeof(double));
  }
  for (int k = 0; k < 3; ++k) {
#pragma ompx managed(s.f[k])
    s.f[k] = malloc(s.n * sizeof(double));
  }
#pragma ompx managed(x[0])
  x[0] = malloc(300 * sizeof(double));
#pragma ompx managed(x[1])
  x[1] = malloc(300 * sizeof(double));
  for (int i = 0; i < 300; ++i) x[0][i] = x[1][i] = i % 13;
  init(&s);
  printf("%.17g\n", red(&s, 2, 0));
  toggle(300);
  for (int k = 0; k < 3; ++k) {
    report("u", s.u[k], s.n);
    report("f", s.f[k], s.n);
  }
  report("x0", x[0], 300);
  report("x1", x[1], 300);
  for (int k = 0; k < 3; ++k) {
    free(s.u[k]);
    free(s.f[k]);
  }
  free(x[0]);
  free(x[1]);
}
