// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that are not there, because only a condition or no iteration leads to them: a launch must not follow null
// pointers on the way to members. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2> %t.remarks
// RUN: FileCheck --allow-empty --implicit-check-not=remark: %s < %t.remarks
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>
struct extra {
  double scale, table[3];
  int shift;
  double* w;
};
struct sim {
  double* u;
  int n, has;
  struct extra* extra;
};
static void step(struct sim* s, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    s->u[i] += 1;
    if (s->has) s->u[i] += s->extra->scale + s->extra->table[i % 3];
  }
}
static void shifted(struct sim* s, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (s->has)
      for (int j = 0; j < s->extra->shift; ++j) s->u[i] += s->extra->w[i + s->extra->shift] * j;
  }
}
int main(void) {
  enum { n = 101 };
#pragma ompx managed(u)
  double* u = calloc(n, sizeof *u);
#pragma ompx managed(w)
  double* w = calloc(n + 3, sizeof *w);
  for (int i = 0; i < n + 3; ++i) w[i] = i;
  struct extra extra = {0.5, {1, 2, 3}, 3, w};
  struct sim s = {u, n, 0, NULL};
  step(NULL, 0), shifted(NULL, 0);
  step(&s, n), shifted(&s, n);
  s.extra = &extra, s.has = 1;
  step(&s, n), shifted(&s, n);
  for (int i = 0; i < n; ++i) printf("%g\n", u[i]);
  free(u), free(w);
}
