// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses under conditions that are the same in all iterations: there are none while the condition does not hold.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck %s
void helper(double *row, int flag) {
  if (flag) row[0] = 1;
}

void loop(int n, bool deep, int threads, double tolerance, const int *at) {
#pragma omp managed(a, b, c)
  double *a = new double[n], *b = new double[n], *c = new double[n];
// CHECK-LABEL: in loop
// CHECK: reads a[i] at [[#@LINE+10]]
// CHECK-NEXT: writes b[i] conditionally if threads > 1 if deep at
// CHECK-NEXT: writes c[i] conditionally if not threads > 1 at
// CHECK-NEXT: reads at[i] conditionally if not tolerance > 0.5 at
// CHECK-NEXT: reads c[?] conditionally if not tolerance > 0.5 at
// CHECK-NEXT: writes c[?] conditionally if not tolerance > 0.5 at
// CHECK-NEXT: writes a[i] conditionally at
// CHECK-NEXT: writes b[i + 1] conditionally at
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double x = a[i];
    if (threads > 1) {
      if (deep) b[i] = x;
    } else {
      c[i] = x;
    }
    if (tolerance > 0.5) {
    } else {
      c[at[i]] += x;
    }
    if (x > 0) a[i] = 0;
    if (deep) b[i + 1] = 0;
    if (!deep) b[i + 1] = 1;
    helper(a + i, threads);
  }
}

// Kernels, native code and the launch may round differently; and a switch may lead into a branch.
void alike(int n, float x, float p, bool deep, const int *kind) {
#pragma omp managed(d, e)
  double *d = new double[n], *e = new double[n];
// CHECK-LABEL: in alike
// CHECK: writes d[i] conditionally at
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (x * x - p == 0) d[i] = 1;
  }
// CHECK-LABEL: in alike
// CHECK: writes d[i] conditionally if -x < p at
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (-x < p) d[i] = 1;
  }
// CHECK-LABEL: in alike
// CHECK: reads kind[i] at
// CHECK-NEXT: reads d[i] conditionally if deep at
// CHECK-NEXT: writes d[i] conditionally if deep at
// CHECK-NEXT: writes e[i] conditionally at
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (deep) {
      switch (kind[i]) {
        case 1: d[i] += 1; break;
        default: break;
      }
    }
    switch (kind[i]) {
      case 0:
        if (deep) {
          case 1: e[i] = 5;
        }
        break;
      default: break;
    }
  }
}
