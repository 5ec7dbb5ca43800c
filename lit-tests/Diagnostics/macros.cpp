// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros that hold more than a directive, or the body of a loop, cannot be replaced in the text.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
#define ZEROED int count = 0; _Pragma("omp parallel for")
#define CONTINUED \
  _Pragma("omp parallel for")
#define TWICE(...) __VA_ARGS__
#define BODY(a, i) { a[i] = 1; }
void f(double *a, int n) {
  {
// CHECK: :[[@LINE+1]]:5: remark: loop stays plain OpenMP on rank 0: is made by a macro that holds more than its directive
    ZEROED
    for (int i = 0; i < n; ++i) a[i] = count;
  }
// CHECK: :[[@LINE+1]]:3: remark: loop stays plain OpenMP on rank 0: is made by a macro that holds more than its directive
  CONTINUED
  for (int i = 0; i < n; ++i) a[i] = 0;
// CHECK: :[[@LINE+1]]:9: remark: loop stays plain OpenMP on rank 0: is made by a macro that holds more than its directive
  TWICE(_Pragma("omp parallel for") for (int i = 0; i < n; ++i) a[i] = 0;)
// CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: has a body that is made by a macro
#pragma omp parallel for
  for (int i = 0; i < n; ++i) TWICE(a[i] = 0; (void)n);
}
