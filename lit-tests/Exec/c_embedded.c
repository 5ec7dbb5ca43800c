// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays inside of structs in C: of the file, local, on the heap, by name and through pointers; beside other members.
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t > %t.actual 2> %t.report
// RUN: diff %t.expected %t.actual
// RUN: FileCheck %s < %t.report
// CHECK-DAG: c_embedded.c:{{[0-9]+}}: this loop runs with copies of arrays inside of objects (g->v, g->u)
// CHECK-DAG: c_embedded.c:{{[0-9]+}}: this loop runs with copies of arrays inside of objects (small.s)
#include <stdio.h>
#include <stdlib.h>
struct grid {
  int n, m;
#pragma ompx managed(u)
  double u[300][70];
#pragma ompx managed(v)
  double v[300][70];
  double scale;
};
struct small {
  int n;
#pragma ompx managed(s)
  int s[40];
};
static struct grid file;
static struct small small;
static void step(struct grid *g) {
#pragma omp parallel for
  for (int i = 1; i < g->n - 1; ++i)
    for (int j = 0; j < g->m; ++j) g->v[i][j] = g->scale * (g->u[i - 1][j] + g->u[i + 1][j]) + i - j;
#pragma omp parallel for
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 70; ++j) g->u[i][j] = g->v[i][j] + (int)sizeof(g->v[i]) % 7;
}
static double sum(const double *a, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += a[i] * (1 + i % 5);
  return total;
}
int main(void) {
  struct grid *heap = calloc(1, sizeof *heap), *all[] = {&file, heap};
  for (int k = 0; k < 2; ++k) {
    all[k]->n = 300 - 20 * k, all[k]->m = 70 - k, all[k]->scale = 0.25 + k;
    for (int t = 0; t < 3; ++t) step(all[k]);
    printf("%g %g\n", sum(&all[k]->u[0][0], 300 * 70), sum(&all[k]->v[0][0], 300 * 70));
  }
  small.n = 40;
#pragma omp parallel for
  for (int i = 0; i < small.n; ++i) small.s[i] += i * small.n;
  struct small local = {40, {1, 2, 3}};
#pragma omp parallel for
  for (int i = 0; i < 40; ++i) local.s[i] += i;
  int total = 0;
  for (int i = 0; i < 40; ++i) total += small.s[i] + local.s[i] * i;
  printf("%d\n", total);
  free(heap);
}
