// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether iterations are shown to be independent, so that it does not count who runs them.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | grep -E '^loop|carry' | FileCheck %s

void independent(double *a, double *b, int *k, double (*m)[8], int n, int ld) {
  double t;
// CHECK: loop [[#@LINE+1]] in independent
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] = b[i - 1] + b[i];
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for private(t)
  for (int i = 0; i < n; i += 2) {
    t = a[i];
    a[i + 1] = t;
  }
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < ld; ++j) a[i * ld + j] += 1;
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 8; ++j) m[i][j] += 1;
// CHECK-NEXT: loop [[#@LINE+1]] in independent
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    a[k[i]] += b[i];
  }
}

// CHECK-NEXT: loop [[#@LINE+3]] in carried
// CHECK-NEXT: may carry values
void carried(double *a, int *k, int n, int ld, double t) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[k[i]] += 1;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i / 8] += 1;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < ld; ++j) a[i + j] = j;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for firstprivate(t)
  for (int i = 0; i < n; ++i) a[i] = t += i;
// CHECK-NEXT: loop [[#@LINE+2]] in carried
// CHECK-NEXT: may carry values
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int here;
#pragma omp atomic capture
    here = k[0]++;
    a[here] = i;
  }
}
