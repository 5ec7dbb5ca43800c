// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel loops whose variable is a pointer, in C and C++. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.c | FileCheck %s
// RUN: %run %t.c | diff %t.expected -
// RUN: %muster-link -O1 -w -x c++ %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.c | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.c | diff %t.expected -
// RUN: %muster++ -w -x c++ -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck %s
// CHECK-COUNT-16: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <stdio.h>
#include <stdlib.h>

static void show(const char *what, const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += (i % 13 + 1) * a[i];
  printf("%s %.17g %.17g\n", what, s, a[n / 2]);
}

struct grid {
  double *u;
  int n;
};

struct particle {
  double x, v;
  int hits;
};

static void particles(int n) {
#pragma ompx managed(all)
  struct particle *all = (struct particle *)malloc(n * sizeof *all);
  double s = 0;
#pragma omp parallel for
  for (struct particle *p = all; p < all + n; ++p) {
    p->x = (p - all) % 19;
    p->v = 0.5;
    p->hits = 0;
  }
#pragma omp parallel for
  for (struct particle *p = all; p != all + n; ++p)
    if ((p->x += 0.25 * p->v) > 7) ++p->hits;
  for (int i = 0; i < n; ++i) s += (i % 7 + 1) * (all[i].x + all[i].hits);
  printf("particles %.17g\n", s);
  free(all);
}

static void members(struct grid *g, int n) {
  g->n = n;
#pragma omp parallel for
  for (double *p = g->u; p < g->u + g->n; ++p) *p = 2 * *p + (p - g->u) % 5;
  show("member", g->u, n);
}

static void heads(double *a, double *b, int n) {
#pragma omp parallel for
  for (double *c = a; c < a + n; ++c) *c = (c - a) % 7 * 0.5;
  show("less", a, n);
  double *end = b + n;
#pragma omp parallel for
  for (double *p = b; p != end; p++) *p = p == b ? -1 : a[p - b - 1];
  show("not equal", b, n);
#pragma omp parallel for
  for (double *p = a + 1; p <= &a[n - 2]; p += 2) p[0] = p[-1] + p[1], *p += b[0];
  show("step", a, n);
#pragma omp parallel for
  for (double *k0 = b + n - 1; k0 >= b; --k0) *k0 += n - (k0 - b);
  show("down", b, n);
  const int skip = 3;
  double *q;
#pragma omp parallel for private(q)
  for (q = &a[skip]; a + n > q; q = q + skip) q[0] -= 0.25 * (q - a);
  show("outside", a, n);
#pragma omp parallel for
  for (double *p = a; p < a; ++p) *p = 1e9;
  show("none", a, n);
  const size_t m = n, first = 5;
#pragma omp parallel for
  for (double *p = first + a; p < a + m; p += 4) *p = *(p - first) + b[first + (p - a) / 4];
  show("unsigned", a, n);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (const double *p = a; p < a + n; ++p) sum += *p * (p - a + 1);
  printf("sum %.17g\n", sum);
  long at = 0;
#pragma omp parallel for reduction(max : at)
  for (const double *p = a; p < a + n; ++p)
    if (*p < a[0]) at = p - a > at ? p - a : at;
  printf("last %ld\n", at);
}

static void nests(double *a, double *b, int n, int m) {
#pragma omp parallel for
  for (double *row = a; row < a + n * m; row += m)
    for (int j = 0; j < m; ++j) row[j] = (row - a) * 0.5 + j % 11;
  show("rows", a, n * m);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (double *p = b; p < b + m; ++p) p[(long)i * m] = a[(long)i * m + (p - b)] + i;
  show("collapse", b, n * m);
#pragma ompx managed(c)
  double (*c)[8] = (double (*)[8])malloc(n * sizeof *c);
#pragma omp parallel for
  for (double (*p)[8] = c; p < c + n; ++p)
    for (int j = 0; j < 8; ++j) (*p)[j] = b[(p - c) * 8 % m] + j;
  show("arrays", c[0], n * 8);
  free(c);
}

int main(void) {
  const int n = 1013, m = 31;
#pragma ompx managed(a)
  double *a = (double *)malloc(n * m * sizeof(double));
#pragma ompx managed(b)
  double *b = (double *)malloc(n * m * sizeof(double));
  for (int i = 0; i < n * m; ++i) a[i] = i % 17, b[i] = i % 5;
  heads(a, b, n);
  particles(n);
  nests(a, b, n, m);
  struct grid g;
#pragma ompx managed(g.u)
  g.u = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) g.u[i] = i % 3;
  members(&g, n);
#pragma omp parallel for
  for (double *p = g.u; p < g.u + n; ++p) *p += 1;
  show("object", g.u, n);
  free(g.u);
  free(a), free(b);
  return 0;
}
