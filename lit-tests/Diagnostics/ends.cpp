// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a loop may end the program, and other devices than CPUs may not run it.
//
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=missed %s 2>&1 | FileCheck --implicit-check-not=remark: %s
#include <cassert>
#include <cstdio>
#include <cstdlib>

static double checked(double value) {
  if (value < 0) exit(5);
  return value;
}
static const double &same(const double &value) {
  if (value < 0) exit(5);
  return value;
}

void loops(int n, int c) {
#pragma ompx managed(a)
  double *a = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] < 0) exit(c);
// CHECK: :[[#@LINE+1]]:{{.*}} runs on CPUs only: calls 'checked', which may end the program, as a part of an expression (line [[#@LINE+3]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a[i] = 1 + checked(a[i]);
// CHECK: :[[#@LINE+1]]:{{.*}} runs on CPUs only: calls 'checked', which may end the program, as a part of an expression (line [[#@LINE+3]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (checked(a[i]) > 2) a[i] = 0;
// CHECK: :[[#@LINE+1]]:{{.*}} runs on CPUs only: calls 'same', which may end the program, as a part of an expression (line [[#@LINE+4]])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double b;
    b = same(a[i]);
    a[i] = b;
  }
// CHECK: :[[#@LINE+1]]:{{.*}} runs on CPUs only: calls 'exit'
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a[i] < 0 ? exit(1) : (void)(a[i] = 2);
// CHECK: :[[#@LINE+1]]:{{.*}} runs on CPUs only: calls 'fprintf'
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] < 0) fprintf(stderr, "no\n"), exit(1);
  delete[] a;
}
