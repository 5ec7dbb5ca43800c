// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitioned or replicated, and why; also through swaps and parameters.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck %s
#include <cstdlib>
#include <utility>
#include <vector>

// CHECK: array u: partitioned, new of double: its indexes follow the loops that are split over the devices, as v[m*i + j] does with 'i' in line [[#@LINE+20]]
// CHECK: array v: partitioned, malloc of double: its indexes
// CHECK: array a: partitioned, calloc of float: {{.*}} as a[n*i + k] does with 'i'
// CHECK: array b: replicated, vector of float: line {{[0-9]+}} reads b[j + n*k], which does not follow 'i', the loop that is split over the devices
// CHECK: array t: replicated, local array of int: line {{[0-9]+}}: the index of 't[t[i]]' is not an affine form
// CHECK: array idle: partitioned, static array of int: no loop of this file uses it
// CHECK: array q: partitioned, new of int: {{.*}} as p[i] does with 'i'
// CHECK: array printed: partitioned, new of int: only loops that stay plain OpenMP use it here
static void fill(int *p, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) p[i] = i;
}
int main() {
  int n = 10, m = 20;
#pragma omp managed(u)
  double *u = new double[n * m];
#pragma omp managed(v)
  double *v = (double *)malloc(n * m * sizeof(double));
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) v[i * m + j] = 0;
  std::swap(u, v);
#pragma omp managed(a)
  float *a = (float *)calloc(n * n, sizeof(float));
#pragma omp managed(b)
  std::vector<float> b(n * n);
  float *c = new float[n * n];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
#pragma omp managed(t)
  int t[64];
#pragma omp parallel for
  for (int i = 0; i < 64; i++) t[i] = t[t[i]];
#pragma omp managed(idle)
  static int idle[64];
#pragma omp managed(q)
  int *q = new int[n];
  fill(q, n);
#pragma omp managed(printed)
  int *printed = new int[n];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical
    printed[i] = i;
  }
}
