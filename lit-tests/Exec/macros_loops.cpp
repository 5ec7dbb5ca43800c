// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives and heads of loops that come from macros. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-print=plan %s -o %t.muster 2> %t.said | FileCheck %s
// RUN: count 0 < %t.said
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster > %t.pocl
// RUN: diff %t.expected %t.pocl
// CHECK-COUNT-8: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include "Inputs/wild_report.h"

#define PARALLEL_FOR _Pragma("omp parallel for")
#define PRAGMA(text) _Pragma(#text)
#define SUMMING(var) PRAGMA(omp parallel for reduction(+ : var) schedule(static, 3))
#  define IN_THREADS(n)  _Pragma("omp parallel for num_threads(2)")
#define FOR(i, n) for (int i = 0; i < (n); ++i)
#define FOR_ROWS(i) FOR(i, ROWS)
#define ROWS 13
#define COLUMNS 21
#define IDX(i, j) ((i) * COLUMNS + (j))

template <class T>
void inTemplate(T *a, int n) {
  PARALLEL_FOR
  FOR(i, n) a[i] *= T(2);
}

int main() {
  const int n = ROWS * COLUMNS;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n], sum = 0;
  fill(a, n);
  PARALLEL_FOR
  for (int i = 0; i < n; i++) b[i] = a[i] * 1.5;
  report("object-like", b, n);
  _Pragma("omp parallel for") for (int i = 0; i < n; i++) a[i] += b[i];
  report("operator", a, n);
  SUMMING(sum)
  for (int i = 0; i < n; i++) sum += a[i];
  std::printf("%.17g\n", sum);
  IN_THREADS(3)  // a comment
  for (int i = 0; i < n; i++) a[i] -= 1;
  report("function-like", a, n);
#pragma omp parallel for
  FOR(i, n - 1) b[i] = a[i + 1];
  report("head", b, n);
#pragma omp parallel for collapse(2)
  FOR_ROWS(i) FOR(j, COLUMNS) {
    a[IDX(i, j)] = b[IDX(ROWS - 1 - i, j)];
  }
  report("nest", a, n);
  PARALLEL_FOR
  FOR_ROWS(i) {
    FOR(j, COLUMNS) b[IDX(i, j)] += a[IDX(i, COLUMNS - 1 - j)];
  }
  report("all", b, n);
  inTemplate(b, n);
  report("template", b, n);
  delete[] a;
  delete[] b;
}
