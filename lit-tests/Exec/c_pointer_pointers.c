// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects behind pointers to pointers: (*ss)->u[i]. The plain program is the oracle.
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

typedef struct {
  double *u, *w;
  int n;
  double dt;
} S;
static void init(S** ss, int n) {
  *ss = malloc(sizeof(S));
  (*ss)->n = n;
  (*ss)->dt = 0.25;
#pragma ompx managed((*ss)->u)
  (*ss)->u = (double*)malloc(n * sizeof(double));
#pragma ompx managed((*ss)->w)
  (*ss)->w = (double*)calloc(n, sizeof(double));
}
static void step(S** ss) {
#pragma omp parallel for
  for (int i = 0; i < (*ss)->n; ++i) (*ss)->u[i] = 0.1 * i * (i % 5);
#pragma omp parallel for
  for (int i = 1; i < (*ss)->n - 1; ++i) (*ss)->w[i] = (*ss)->u[i + 1] - 2 * (*ss)->u[i] + (*ss)->u[i - 1] * (*ss)->dt;
}
static void swapsteps(S** ss) {
  double* t = (*ss)->u;
  (*ss)->u = (*ss)->w;
  (*ss)->w = t;
#pragma omp parallel for
  for (int i = 0; i < (**ss).n; ++i) (**ss).u[i] += 1;
}
int main(void) {
  S* s;
  init(&s, 777);
  step(&s);
  swapsteps(&s);
  report("u", s->u, s->n);
  report("w", s->w, s->n);
  free(s->u);
  free(s->w);
  free(s);
}
