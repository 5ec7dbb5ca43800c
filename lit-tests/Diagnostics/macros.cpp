// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros are replaced by their text where a loop needs it; these have none that means the same.
// RUN: %muster++ -Wno-unknown-pragmas -fsyntax-only %s 2>&1 | %filecheck %s
#define OTHER_PRAGMA int count = 0; _Pragma("GCC ivdep") _Pragma("omp parallel for")
#define REGION_FOR _Pragma("clang diagnostic ignored \"-Wshadow\"") _Pragma("omp for")
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define COUNTED_FOR(n) _Pragma("omp parallel for") for (int JOIN(i, __COUNTER__) = 0; JOIN(i, 0) < n; ++JOIN(i, 0)) a[JOIN(i, 0)] = 0;
#define ONCE(...) __VA_ARGS__
#include "Inputs/entered_twice.h"
void f(double *a, int n, int i2) {
  {
// CHECK: :[[@LINE+1]]:5: remark: loop stays plain OpenMP on rank 0: is made by a macro that holds more than its directive
    OTHER_PRAGMA
    for (int i = 0; i < n; ++i) a[i] = count;
  }
// CHECK: :[[@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: has a directive that is made by a macro
#pragma omp parallel
  {
    REGION_FOR for (int i = 0; i < n; ++i) a[i] = 0;
  }
// CHECK: :[[@LINE+1]]:3: remark: loop stays plain OpenMP on rank 0: is made by a macro that holds more than its directive
  COUNTED_FOR(n)
#define i2 (i + i2)
// A name that is a macro's would be expanded once more.
// CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: has a body that is made by a macro
#pragma omp parallel for
  for (int i = 0; i < n; ++i) ONCE(a[i] = i2; (void)n);
}
#undef i2
#define NAME again
// CHECK: entered_twice.h:7:1: remark: region stays plain OpenMP on rank 0: is made by a macro
// CHECK: entered_twice.h:7:1: remark: region stays plain OpenMP on rank 0: is made by a macro
#include "Inputs/entered_twice.h"
