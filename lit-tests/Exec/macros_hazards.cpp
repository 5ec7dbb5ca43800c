// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What could go wrong where macros are replaced by their text: names, __LINE__, statements without braces, several
// directives in one macro, arguments with lambdas. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=none %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// CHECK: remark: loop stays plain OpenMP on rank 0: clause 'ordered'
#include <cstdio>
#include <cstdlib>
#define PRAGMA(x) _Pragma(#x)
#define CRIT PRAGMA(omp critical)
#define FOR_T(T, i, n, ...) PRAGMA(omp parallel for) for (T i = 0; i < n; ++i) { __VA_ARGS__ }
#define SHADOW(a, n) { int i = 7; PRAGMA(omp parallel for firstprivate(i)) for (int k = 0; k < n; ++k) a[k] = i + k; }
#define DEP(a, n) PRAGMA(omp parallel for ordered) for (int k = 1; k < n; ++k) { PRAGMA(omp ordered) a[k] = a[k-1] + 1; }
#define SWAP(T, x, y) do { T t_ = x; x = y; y = t_; } while (0)
#define foo(x) (bar(x) + 1)
#define bar(x) (2 * (x))
#define LINE_AT(a, i) a[i] = __LINE__ + i
#define EMPTY
#define CALLER foo
#define IF_OMP(x) x
#define RED(op, v) PRAGMA(omp parallel for reduction(op : v))
#define GEN(name, op, init) static double name(const double *a, int n) { double r = init; RED(op, r) for (int i = 0; i < n; ++i) r = r op a[i]; return r; }
GEN(sum_, +, 0)
GEN(prod_, *, 1)
#define MAXOF(r, x) if ((x) > r) r = (x)
#define LAMBDA_FOR(n, f) PRAGMA(omp parallel for) for (int i = 0; i < n; ++i) { f(i); }
#define NESTED(n) PRAGMA(omp parallel) { FOR_IN(n) }
#define FOR_IN(n) PRAGMA(omp for schedule(static, 3) nowait) for (int i = 0; i < n; ++i) a[i] -= 1; PRAGMA(omp barrier) PRAGMA(omp single) { a[0] = 9; }
template <class T, class F> void apply(T *a, int n, F f) { FOR_T(int, i, n, a[i] = f(a[i]);) }
struct W { double *d; int n; void go() { FOR_T(int, i, n, d[i] += this->n; if (d[i] > 3) d[i] = foo(d[i]);) } };
int main() {
  const int n = 211;
#pragma ompx managed(a)
  double *a = new double[n];
  FOR_T(unsigned, i, n, a[i] = i;) 
  SHADOW(a, n) std::printf("%g %g\n", a[1], a[n - 1]);
  DEP(a, n) std::printf("%g\n", a[n - 1]);
  FOR_T(int, i, n,
        LINE_AT(a, i);
        a[i] += CALLER EMPTY(i);
        if (i % 2)
          a[i] += __LINE__;
  )
  std::printf("%g %g\n", a[1], a[n - 1]);
  std::printf("%g %g\n", sum_(a, n), prod_(a, 5));
  double m = 0;
  PRAGMA(omp parallel for reduction(max : m)) for (int i = 0; i < n; ++i) MAXOF(m, a[i]);
  std::printf("%g\n", m);
  int c = 0;
  PRAGMA(omp parallel for) for (int i = 0; i < n; ++i) { CRIT c += i; }
  std::printf("%d\n", c);
  LAMBDA_FOR(n, [&](int q) { a[q] *= 2; })
  NESTED(n)
  std::printf("%g %g %g\n", a[0], a[1], a[n - 1]);
  apply(a, n, [](double x) { return x / 3; });
  W w{a, n}; w.go();
  const char *s = "str\
ing"; IF_OMP(PRAGMA(omp parallel for)
  ) for (int i = 0; i < n; ++i) a[i] += s[i % 5];
  std::printf("%g %g %g %d\n", a[0], a[1], a[n - 1], __LINE__);
  for (int t = 0; t < 3; ++t)
    if (t == 1)
      FOR_T(int, i, n, a[i] += t;)
    else
      a[t] = t;
  switch (n) { case 211: FOR_T(int, i, n, a[i] += 2;) break; default: a[0] = 1e9; }
  std::printf("%g %g %g\n", a[0], a[2], a[n - 1]);
  delete[] a;
}
