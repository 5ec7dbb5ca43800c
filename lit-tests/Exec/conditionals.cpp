// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditionals that cut loops and regions: around directives, their clauses, heads, braces, parts of bodies and of
// allocations. Every loop is distributed (strict), on every branch. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-strict %s -o %t.muster 2>&1 | %filecheck --allow-empty --check-prefix=NONE %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %plain -w -DOTHER -DOPEN %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-strict -DOTHER -DOPEN %s -o %t.muster 2>&1 | %filecheck --allow-empty --check-prefix=NONE %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | FileCheck %s
// NONE-NOT: error
#include <cstdio>
#include <cstdlib>
#include <vector>
#if defined(OTHER) && \
    defined(OPEN)
static const int extra = 2; /* A comment that goes on
                               in the next line. */
#else /* another one
         of two lines */
static const int extra = 1;
#endif

struct Grid {
  double *u;
  int n;
  void step() {
#ifdef _OPENMP
    // CHECK: conditionals.cpp:[[@LINE+1]]:1: remark: loop is outlined as 'muster_step_[[@LINE+1]]' for all devices
#pragma omp parallel for
#endif
    for (int i = 0; i < n; ++i) u[i] += extra;
  }
};

template <class T> static void fill(T *a, int n) {
#if !defined(_OPENMP)
  std::printf("no OpenMP, don't\n");
#elif defined(OTHER)
#pragma omp parallel for schedule(static) \
    firstprivate(n)
#else
  // CHECK: conditionals.cpp:[[@LINE+1]]:1: remark: loop is outlined
#pragma omp parallel for \
    schedule(static)
#endif  // _OPENMP
  for (int i = 0; i < n; ++i) {
#ifdef OTHER
    a[i] = i;
#else
    a[i] = 2 * i;
#endif
  }
}

static double sum(const double *a, int n) {
  double s = 0;
#ifdef _OPENMP
#pragma omp parallel
  {
#pragma omp for reduction(+ : s)
#endif
    for (int i = 0; i < n; ++i) s += a[i];
#ifdef _OPENMP
  }
#endif
  return s;
}

static void heads(double *a, int n) {
#pragma omp parallel for
#ifdef OTHER
  for (int i = 1; i < n; ++i)
#else
  for (int i = 0; i < n; ++i)
#endif
    a[i] += 3;
#pragma omp parallel for
  for (int i = 0;
#if defined OTHER
       i < n - 1;
#else
       i < n;
#endif
       ++i)
#ifdef OTHER
    a[i] *= 2;
#else
    a[i] *= 3
#ifdef _OPENMP
            ;
#else
        + 1;
#endif
#endif
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 10; ++i)
#ifdef OTHER
    for (int j = 0; j < 10; ++j) {
#else
    for (int j = 1; j < 10; ++j) {
#endif
      a[i * 10 + j] += i - j;
    }
}

static void braces(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#ifdef OTHER
    if (i % 2) {
#else
    if (i % 3) {
#endif
      a[i] += 1;
    }
#ifdef OTHER
    a[i] -= 5;
  }
#else
  }
#endif
#ifdef OPEN
  if (n > 0)
#pragma omp parallel for
#endif
    for (int i = 0; i < n; i++) {
      a[i] += i;
#ifdef OTHER
      a[i] += 1;
#endif
    }
}

int main() {
  const int n = 200;
#pragma ompx managed(a)
  double *a = new double[n
#ifdef OTHER
                         + 7
#endif
  ];
#ifdef _OPENMP
#pragma ompx managed(v)
#endif
  std::vector<double>
#ifdef OTHER
      v(n + 1, 4.0);
#else
      v(n, 3.0);
#endif
  fill(a, n);
  Grid grid{a, n};
  grid.step();
  heads(a, n);
  braces(a, n);
#ifdef _OPENMP
#pragma omp parallel for
#endif
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += i;
  std::printf("%.17g %.17g %.17g %d\n", sum(a, n), sum(v.data(), n), a[n - 1], __LINE__);
  for (int i = 0; i < n; ++i) std::printf("%.17g\n", a[i]);
  delete[] a;
}
