// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, regions and directives that macros make: invocations are replaced by their text. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-print=plan %s -o %t.muster 2> %t.said | FileCheck %s
// RUN: count 0 < %t.said
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster > %t.pocl
// RUN: diff %t.expected %t.pocl
// CHECK-COUNT-18: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include "Inputs/macros_select.h"
#include "Inputs/wild_report.h"

#define PRAGMA(text) _Pragma(#text)
#define OMP(...) PRAGMA(omp __VA_ARGS__)
#define FOR_INTERIOR _Pragma("omp for collapse(2)") for (int i = 1; i < rows - 1; ++i) for (int j = 1; j < cols - 1; ++j)
#define PARALLEL_FOR(i, n, body) _Pragma("omp parallel for") for (int i = 0; i < (n); ++i) body
#define PARALLEL_EACH(i, n) OMP(parallel for) for (int i = 0; i < (n); ++i)
#define SUM_OVER(i, n, s, value) \
  OMP(parallel for reduction(+ : s)) \
  for (int i = 0; i < (n); ++i) { \
    s += value; \
  }
#define ASSIGN(left, right) left = right;
#define SWEEP(a, b, n)                                              \
  do {                                                              \
    _Pragma("omp parallel")                                         \
    {                                                               \
      _Pragma("omp for") for (int i = 0; i < (n); ++i) a[i] += 1;   \
      _Pragma("omp for nowait") for (int i = 0; i < (n); ++i) b[i] = 2 * a[i]; \
    }                                                               \
  } while (0)
#define ORPHANED OMP(for)
#define TWICE(...) __VA_ARGS__ __VA_ARGS__
#define COUNTED int counted = 0; _Pragma("omp parallel for reduction(+ : counted)")

static void orphaned(double *a, int n) {
  ORPHANED
  for (int i = 0; i < n; ++i) a[i] *= 0.5;
}

template <class T>
struct Field {
  T *data;
  int n;
  void scale(T factor) {
    PARALLEL_FOR(i, n, {
      data[i] *= factor;
    })
  }
};

int main() {
  const int rows = 13, cols = 21, n = rows * cols;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n], sum = 0;
#ifdef __MUSTER__
  OMP(managed(c))
#endif
  double *c = new double[n];
  fill(a, n);
  PARALLEL_FOR(i, n, b[i] = a[i] * 1.5;)
  report("whole", b, n);
  PARALLEL_FOR(i, n, {
    double x = a[i];
    if (x > 0.5)
      x -= b[i];
    c[i] = x;
  }) report("body", c, n);
  PARALLEL_EACH(i, n) a[i] += c[i];
  PARALLEL_EACH(i, n) {
    const double t = a[i];
    b[i] -= t;
  }
  report("each", a, n);
  SUM_OVER(k, n, sum, a[k] * b[k])
  std::printf("%.17g\n", sum);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) ASSIGN(c[i], b[i] + i)
  report("semicolon", c, n);
#pragma omp parallel
  {
    for (int t = 0; t < 3; ++t) {
      FOR_INTERIOR c[i * cols + j] = 0.25 * (a[i * cols + j - 1] + a[i * cols + j + 1]);
      FOR_INTERIOR {
        a[i * cols + j] += c[i * cols + j];
      }
    }
    orphaned(b, n);
  }
  report("region", a, n);
  report("orphaned", b, n);
  SWEEP(a, b, n);
  report("sweep", b, n);
  Field<double> field = {a, n};
  field.scale(3);
  report("template", a, n);
  TWICE(SELECTED_FOR(i, n) a[i] += 1;)
  report("header", a, n);
  MANAGED_IN_HEADER(d)
  float *d = new float[n];
  SELECTED_FOR(i, n) d[i] = a[i];
  report("managed", d, n);
  addOne(a, n);
  halve(a, n);
  report("functions of a header", a, n);
  COUNTED
  for (int i = 0; i < n; ++i) counted += a[i] > 1;
  std::printf("%d\n", counted);
  delete[] a;
  delete[] b;
  delete[] c;
  delete[] d;
}
