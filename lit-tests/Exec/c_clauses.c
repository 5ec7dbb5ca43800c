// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clauses whose values are made of members of structs. The plain program is the oracle.
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

struct cfg {
  int chunk, threads, n, verbose;
  double omega;
};
struct sim {
  struct cfg c;
  struct cfg* p;
  double *u, *v;
};
static void a(struct sim* s) {
#pragma omp parallel for schedule(static, s->c.chunk) num_threads(s->p->threads)
  for (int i = 0; i < s->c.n; ++i) s->u[i] = i * 0.5;
#pragma omp parallel for if (s->c.n > 100) schedule(dynamic, s->p->chunk * 2)
  for (int i = 0; i < s->c.n; ++i) s->v[i] = i * 0.5 + 1;
#pragma omp parallel for if (s->c.n > 100 && !s->p->verbose) num_threads(s->c.threads + 1)
  for (int i = 1; i < s->c.n - 1; ++i) s->v[i] = s->u[i - 1] + s->u[i + 1];
}
static double b(struct sim s) {
  double sum = 0;
#pragma omp parallel for if (parallel : s.c.n > s.p->chunk) schedule(guided, (*s.p).chunk + 1) reduction(+ : sum)
  for (int i = 0; i < s.c.n; ++i) sum += s.u[i] * s.v[i];
#pragma omp parallel if ((*s.p).n > 10) num_threads((&s)->c.threads)
  {
#pragma omp for schedule(static, s.p->chunk / 2 + 1) nowait
    for (int i = 0; i < s.c.n; ++i) s.u[i] *= 2;
#pragma omp for
    for (int i = 0; i < s.p->n; ++i) s.v[i] *= 3;
  }
  return sum;
}
int main(void) {
  struct cfg c = {8, 2, 1001, 0, 0.3};
  struct sim s = {c, &c, 0, 0};
#pragma ompx managed(s.u)
  s.u = malloc(c.n * sizeof(double));
#pragma ompx managed(s.v)
  s.v = malloc(c.n * sizeof(double));
  a(&s);
  printf("%.17g\n", b(s));
  report("u", s.u, c.n);
  report("v", s.v, c.n);
  free(s.u);
  free(s.v);
}
