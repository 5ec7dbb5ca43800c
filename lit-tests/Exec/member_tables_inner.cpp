// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers that are members, s->u[k][i], with k chosen by the iterations: the loops are distributed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
#include <cstdio>
#include <cstdlib>

struct Cell {
  double x;
  int n;
};
struct State {
  int n;
  double *u[3];
  const double *f[4];
  Cell *cells[2];
};

static double *make(int n) {
#pragma ompx managed(p)
  double *p = (double *)calloc(n, sizeof(double));
  return p;
}
static double at(const State *s, int k, int i) { return s->u[k][i] + s->f[k + 1][0]; }

static void step(State *s, const int *pick) {
#pragma omp parallel for
  for (int i = 1; i < s->n - 1; ++i)
    for (int k = 0; k < 2; ++k) {
      double *to = s->u[k];
      to[i] += 0.5 * (s->f[k][i - 1] + s->f[pick[i]][i + 1]) + at(s, k, i);
      s->u[2][i] = k;
    }
}

static double sum(State &s) {
  double total = 0;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < s.n; ++i) total += s.u[k][i] * (i + k);
  return total;
}

int main() {
  State s;
  s.n = 67;
  for (double *&p : s.u) p = make(s.n);
  double *f = make(s.n), *g = make(s.n);
  s.f[0] = s.f[3] = f, s.f[1] = g, s.f[2] = s.u[2];
#pragma ompx managed(s.cells[0])
  s.cells[0] = (Cell *)calloc(s.n, sizeof(Cell));
#pragma ompx managed(s.cells[1])
  s.cells[1] = (Cell *)calloc(s.n, sizeof(Cell));
#pragma ompx managed(pick)
  int *pick = (int *)calloc(s.n, sizeof(int));
  for (int i = 0; i < s.n; ++i) f[i] = i % 5, g[i] = i % 3, pick[i] = i * 7 % 2 + (i % 4 == 3 ? 2 : 0);
#pragma omp parallel for
  for (int i = 0; i < s.n; ++i)
    for (int k = 0; k < 3; ++k) s.u[k][i] = i * (k + 1);
  std::printf("%.12g\n", sum(s));
  s.f[2] = g;
  step(&s, pick), step(&s, pick);
  std::printf("%.12g\n", sum(s));
#pragma omp parallel for
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < s.n; ++i) s.u[k][i] -= k;
#pragma omp parallel for
  for (int i = 0; i < s.n; ++i)
    for (int k = 0; k < 2; ++k) s.cells[k][i].x = s.u[1 - k][i], s.cells[(k + 1) % 2][i].n = k;
  int count = 0;
#pragma omp parallel for reduction(+ : count)
  for (int i = 0; i < s.n; ++i) count += s.cells[i % 2][i].n + (int)s.cells[pick[i] > 1][i].x % 3;
  std::printf("%.12g %d\n", sum(s), count);
}
