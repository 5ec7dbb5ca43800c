// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What C99 brought, in loops and around them. The plain program is the oracle.
//
// RUN: %plain-c -std=c99 -w %s -o %t.plain -lm && %run %t.plain > %t.expected
// RUN: %cc-link -std=c99 -O1 -w -fplugin-arg-muster-remarks=none %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %cc -std=c99 -w -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK: remark: loop stays plain OpenMP on rank 0: uses 'f->data', an array of unknown or variable length
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <complex.h>
#include <tgmath.h>
#define REPORT(a, n) do { double s = 0; for (int q = 0; q < (n); ++q) s += (q % 7 + 1) * (double)(a)[q]; printf("%d %.10g\n", __LINE__, s); } while (0)
struct P { double x, y; int k; };
struct Flex { int n; double data[]; };
struct Anon { int tag; union { float f; unsigned u; }; struct { short a, b; }; };
void vla(int n, int m, double (*a)[m], double (*restrict b)[m]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) b[i][j] = a[i][j] * 2 + j;
}
void vla2(int n, int m, double a[n][m], double b[const restrict static n][m]) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) b[i][j] += a[i][(j + 1) % m];
}
void rs(int n, const double *restrict a, double *restrict b, double c[restrict static 4]) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = a[i] + c[i % 4];
}
double kr(n, a) int n; double *a; {
  double s = 0;
#pragma omp parallel for reduction(+:s)
  for (int i = 0; i < n; ++i) s += a[i];
  return s;
}
int main() {
  const int n = 12, m = 7, N = 84;
#pragma ompx managed(a)
  double *a = (double *)malloc(N * sizeof *a);
#pragma ompx managed(b)
  double *b = (double *)calloc(N, sizeof *b);
#pragma ompx managed(p)
  struct P *p = malloc(N * sizeof *p);
#pragma ompx managed(z)
  double complex *z = malloc(N * sizeof *z);
#pragma ompx managed(u)
  struct Anon *u = malloc(N * sizeof *u);
#pragma ompx managed(f)
  struct Flex *f = malloc(sizeof *f + N * sizeof(double));
  for (int i = 0; i < N; ++i) a[i] = i * 0.5;
  vla(n, m, (double (*)[m])a, (double (*)[m])b); REPORT(b, N);
  vla2(n, m, (double (*)[m])a, (double (*)[m])b); REPORT(b, N);
  rs(N - 4, a, b, a + N - 4); REPORT(b, N);
  printf("%g\n", kr(N, b));
#pragma omp parallel for
  for (int i = 0; i < N; ++i) p[i] = (struct P){.y = a[i], .x = i};
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { struct P t = {.k = 3, .x = p[i].y}; double w[4] = {[2] = 1.5, [0] = p[i].x}; b[i] = t.k + t.x + w[0] + w[1] + w[2] + (double[]){1, 2, 3}[i % 3]; }
  REPORT(b, N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { z[i] = a[i] + 2.0 * I; z[i] *= conj(z[i]) + 1; b[i] = creal(z[i]) + cimag(z[i]) + cabs(z[i]); }
  REPORT(b, N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { float q = (float)a[i]; b[i] = sqrt(q) + sin(a[i]) + fabs(-q) + pow(q, 2) + fmax(q, 3.0f); }
  REPORT(b, N);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) { u[i].tag = i; u[i].f = i; u[i].a = (short)i; u[i].b = 2; }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) b[i] = u[i].u + u[i].a * u[i].b;
  REPORT(b, N);
  f->n = N;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) f->data[i] = a[i] + 1;
  REPORT(f->data, N);
  bool any = false;
#pragma omp parallel for reduction(||:any)
  for (int i = 0; i < N; ++i) any = any || (a[i] > 40);
  _Bool flag = any;
  printf("%d\n", flag);
#pragma omp parallel for
  for (long long i = 0LL; i < N; i++) { int loc[3] = {0}; for (int k = 0; k < 3; ++k) loc[k] = (int)i + k; switch (i % 3) { case 0: b[i] = loc[0]; break; case 1: b[i] = loc[1] * 2; break; default: b[i] = -loc[2]; } }
  REPORT(b, N);
  free(a); free(b); free(p); free(z); free(u); free(f);
}
