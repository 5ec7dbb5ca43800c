// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies as C programs write them: arrays of variable length, compound literals, designated initialisers, functions of
// headers, functions without prototypes. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -std=c99 -w %s -o %t.c99 2> %t.remarks && %run %t.c99 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.c99 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// RUN: %cc-link -O2 -std=gnu17 -w %s -o %t.c17 && %run %t.c17 | diff %t.expected -
// RUN: %filecheck --input-file=%t.remarks %s
#define _POSIX_C_SOURCE 200112L
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Inputs/c_functions.h"

static void report(const char *name, const double *a, int n) {
  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) sum += a[i], weighted += a[i] * (i % 7);
  printf("%s %.17g %.17g\n", name, sum, weighted);
}

static void transpose(int n, int m, double a[n][m], double b[restrict m][n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] += b[j][i];
}
static void cube(int n, int m, int k, double a[n][m][k], const double b[static 1]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 1; l < k; l++) a[i][j][l] = a[i][j][l - 1] + b[i] * l;
}
static void scratch(int n, double *a) {
  const int m = 8;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double tmp[m], more[m / 2][m];
    for (int j = 0; j < m; j++) tmp[j] = a[i * m + j], more[j / 2][j] = j;
    for (int j = 0; j < m; j++) a[i * m + j] = tmp[m - 1 - j] + more[j / 2][j];
  }
}
// CHECK: :[[#@LINE+2]]:1: remark: loop 'muster_window_[[#@LINE+2]]' runs on CPUs only: uses an array of variable length, which OpenCL does not have (line [[#@LINE+4]])
static void window(int n, int m, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double tmp[m];
    for (int j = 0; j < m; j++) tmp[j] = a[i * m + j];
    for (int j = 0; j < m; j++) a[i * m + j] = tmp[m - 1 - j];
  }
}
static void literals(int n, vec3 *restrict p, double *restrict r) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    p[i] = (vec3){.z = 2 * i, .x = i};
    const vec3 d = {.y = 3, .x = 1};
    double w[4] = {[1] = 2, [3] = 4}, t[2][2] = {{1}, [1] = {2, 3}};
    const double *q = (double[]){1, 2, 3};
    r[i] = d.x + d.y + w[i % 4] + p[i].z + q[i % 3] + ((int[2]){5})[i % 2] + (_Bool)i + t[i % 2][0];
    r[i] += dot(&p[i], &(vec3){1, 2, i}) + (int){i};
  }
}
static void forces(int n, const vec3 *restrict x, vec3 *restrict f) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++) {
    vec3 sum = {0};
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      vec3 d = minus(x[i], x[j]);
      double r2 = dot(&d, &d) + SQUARE(0.1);
      add_to(&sum, 1.0 / r2, &d);
    }
    memcpy(&f[i], &sum, sizeof sum);
  }
}
#define MAX(a, b) ({ __typeof__(a) _a = (a); const __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define SUM3(a) ({ double _s = (a)[0]; _s += (a)[1]; _s + (a)[2]; })
static double extremes(int n, const double *r, double *restrict out) {
  double most = -INFINITY;
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < n; i++) {
    const double here = MAX(r[i], MAX(r[n - 1 - i], 3));
    out[MAX(i, 2)] = here > HUGE_VAL || isnan(NAN * here) == 0 ? NAN : here;
    most = MAX(most, here);
  }
  return most;
}
// CHECK: :[[#@LINE+2]]:1: remark: loop 'muster_checked_[[#@LINE+2]]' runs on CPUs only: calls '__assert_fail', which has no OpenCL counterpart (line [[#@LINE+4]])
static void checked(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    assert(i < n && a[i] == a[i]);
    a[i] = sqrt(fabs(a[i])) + SUM3(((double[3]){i, 1, 2}));
  }
}
static void histogram(int n, const int *v, long *restrict bins) {
  long local[4][4] = {{0}}, *other = (long *)calloc(16, sizeof(long));
#pragma omp parallel for reduction(+ : local, other[ : 16])
  for (int i = 0; i < n; i++) {
    local[v[i] / 4 % 4][v[i] % 4]++;
    other[v[i] & 15] += i;
  }
  for (int b = 0; b < 16; b++) bins[b] += local[b / 4][b % 4] + other[b];
  free(other);
#pragma omp parallel
  {
    long mine[16] = {0};
#pragma omp for nowait
    for (int i = 0; i < n; i++) mine[v[i] & 15]++;
#pragma omp critical
    for (int b = 0; b < 16; b++) bins[b] += mine[b];
  }
}
static double twice(x) double x;
{ return 2 * x; }
static void traditional(n, a, by) int n; double *a; float by;
{
  register int i;
  int *count = 0;
#pragma omp parallel for
  for (i = 0; i < n; i++) a[i] = twice(a[i]) + by + !count;
}

int main(void) {
  enum { N = 40, M = 24, K = 5 };
#pragma ompx managed(a)
  double(*a)[M] = (double(*)[M])malloc(N * sizeof *a);
#pragma ompx managed(b)
  double(*b)[N] = (double(*)[N])malloc(M * sizeof *b);
  double *c = NULL, *r;
  vec3 *p, *f;
#pragma ompx managed(c)
  if (posix_memalign((void **)&c, 64, N * M * K * sizeof(double)) != 0) return 1;
#pragma ompx alloc_start
#pragma ompx managed(p)
  if (posix_memalign((void **)&p, 128, N * sizeof *p)) return 1;
#pragma ompx managed(f)
  f = (vec3 *)calloc(N, sizeof(*f));
#pragma ompx managed(r)
  r = malloc(sizeof(double) * N);
#pragma ompx alloc_end
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] = i % 7, b[j][i] = j * 0.5;
  memset(c, 0, N * M * K * sizeof *c);
  transpose(N, M, a, b);
  report("a", a[0], N * M);
  cube(N, M, K, (double(*)[M][K])c, a[0]);
  report("c", c, N * M * K);
  scratch(N * M / 8, a[0]);
  window(N, M, a[0]);
  report("a", a[0], N * M);
  literals(N, p, r);
  report("p", &p->x, 3 * N), report("r", r, N);
  forces(N, p, f);
  report("f", &f->x, 3 * N);
  traditional(N, r, 0.5);
  report("r", r, N);
  printf("%.17g\n", extremes(N, r, c));
  report("c", c, N);
  checked(N, c);
  report("c", c, N);
#pragma ompx managed(v)
  int *v = (int *)malloc(1000 * sizeof(int));
  for (int i = 0; i < 1000; i++) v[i] = i * i % 57;
  long bins[16] = {0};
  histogram(1000, v, bins);
  for (int b = 0; b < 16; b++) printf("%ld ", bins[b]);
  printf("\n");
  free(v);
  free(a), free(b), free(c), free(p), free(f), free(r);
  return 0;
}
