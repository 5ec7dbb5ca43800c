// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A conditional of two variables is an lvalue in C++, although programs want its value: maxima, clamps, one of two
// arrays. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// CHECK-COUNT-5: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include "Inputs/wild_report.h"

static int clampTo(int value, int low, int high) { return value < low ? low : value > high ? high : value; }

int main() {
  const int n = 200;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
  fill(a, n);
  fill(b, n, 2);
  double largest = -1;
#pragma omp parallel for reduction(max : largest)
  for (int i = 0; i < n; i++) largest = a[i] > largest ? a[i] : largest;
  double error = 0;
#pragma omp parallel for reduction(max : error)
  for (int i = 1; i < n; i++) {
    double d = a[i] - a[i - 1];
    if (d < 0) d = -d;
    error = error > d ? error : d;
  }
  std::printf("%g %g\n", largest, error);
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = a[clampTo(i - 3, 0, n - 1)];
  report("clamped", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double x = a[i], y = b[i];
    const double* from = i % 3 ? a : b;
    b[i] = (x < y ? x : y) + from[i];
  }
  report("one of two", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = i % 2 ? a[i] : b[i];
  report("elements", a, n);
  delete[] a;
  delete[] b;
}
