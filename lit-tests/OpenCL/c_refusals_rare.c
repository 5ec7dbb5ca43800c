// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C, and clang's C, can say of complex numbers and of declarations, and OpenCL C cannot.
// RUN: %cc -w -fsyntax-only %s 2>&1 | %filecheck %s
#include <complex.h>
void f(int n, double _Complex *z, float _Complex *s, int *flags, double *a) {
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: compares complex numbers that are the results of calls or assignments
#pragma omp parallel for
  for (int i = 0; i < n; i++) flags[i] = conj(z[i]) == z[i];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses operator '++' on complex numbers
#pragma omp parallel for
  for (int i = 0; i < n; i++) z[i]++;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: depends on the order in which operands are evaluated
#pragma omp parallel for
  for (int i = 0; i < n; i++) { double _Complex w = z[i]; z[i] = (w = 2 * w) * w; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: changes variables on both sides of operator '+='
#pragma omp parallel for
  for (int i = 0; i < n; i++) { int k = i; double _Complex w[4] = {0}; w[k++ & 3] += z[i]; z[i] = w[k & 3]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: computes with complex numbers of two precisions
#pragma omp parallel for
  for (int i = 0; i < n; i++) s[i] += z[i];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: takes the address of a CompoundLiteralExpr
#pragma omp parallel for
  for (int i = 0; i < n; i++) { double *p = &(double){a[i]}; a[i] = *p + 1; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses 'later', which is incomplete
#pragma omp parallel for
  for (int i = 0; i < n; i++) { struct later; struct later *p = 0; flags[i] = p == 0; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses variable 'outside', which is not passed to the kernel
#pragma omp parallel for
  for (int i = 0; i < n; i++) { extern int outside; flags[i] = outside; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: declares a Function inside the code
#pragma omp parallel for
  for (int i = 0; i < n; i++) { int g(int); flags[i] = i; }
}
