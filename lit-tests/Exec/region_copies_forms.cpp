// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More uses of a region's copies of static variables: references, function objects, lambdas, clauses, loop variables.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -w %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
static int g = 3; static double tab[4] = {1,2,3,4}; static const double fixed[3] = {5,6,7}; static int e0;
struct Op { int k; double operator()(double x) const { return x * k + g; } };
static Op op = {2};
template <class F> static double apply(F f, double x) { return f(x); }
int main() {
  const int n = 1000;
#pragma ompx managed(a)
  double *a = new double[n]();
#pragma ompx managed(idx)
  int *idx = new int[n]();
  auto sum = [&] { double x = 0; for (int i = 0; i < n; ++i) x += a[i] * (i % 5), a[i] = 0; return x; };
  // references of the region to its copy; pointers to it
#pragma omp parallel firstprivate(g, tab)
  { int &r = g; double *p = tab; r = 8; p[1] = 90;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = r + p[i % 4]; }
  printf("1 %.17g\n", sum());
  // function object
#pragma omp parallel firstprivate(op)
  { op.k = 9;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = op(i); }
  printf("2 %.17g\n", sum());
#pragma omp parallel firstprivate(op, g)
  { op.k = 9; g = 100;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = op(i); }
  printf("3 %.17g\n", sum());
  // lambda of the region
#pragma omp parallel firstprivate(g)
  { g = 100; auto f = [&](double x) { return x + g; };
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = apply(f, i); }
  printf("4 %.17g\n", sum());
#pragma omp parallel firstprivate(g)
  { g = 100;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = apply([&](double x) { return x + g; }, i); }
  printf("5 %.17g\n", sum());
  // given to functions
#pragma omp parallel firstprivate(tab, g)
  { tab[2] = 70; g = 4;
#pragma omp for collapse(2)
    for (int i = 0; i < n / 10; ++i) for (int j = 0; j < 10; ++j) a[i * 10 + j] = [](const double *t, int k) { return t[k]; }(tab, j % g); }
  printf("6 %.17g\n", sum());
  // schedule, chunk, if clauses
#pragma omp parallel firstprivate(g)
  { g = 5;
#pragma omp for schedule(dynamic, g)
    for (int i = g; i < n; i += g) a[i] = i; }
  printf("7 %.17g\n", sum());
#pragma omp parallel private(e0)
  { 
#pragma omp for
    for (e0 = 0; e0 < n; ++e0) a[e0] = e0; }
  printf("8 %.17g %d\n", sum(), e0);
#pragma omp parallel private(e0)
  { e0 = 7;
#pragma omp for
    for (int i = 0; i < n; ++i) idx[i] = i % e0;
#pragma omp for
    for (int i = 0; i < n; ++i) a[idx[i]] = idx[i] * e0; }
  printf("9 %.17g %d\n", sum(), e0);
#pragma omp parallel firstprivate(fixed, g)
  { g = fixed[1];
#pragma omp for
    for (int i = 0; i < n; ++i) { a[i] = fixed[i % 3]; if (g > 5) a[i] += g; } }
  printf("10 %.17g %d\n", sum(), g);
  // nested functions in a loop's reduction clause
  double m = 0;
#pragma omp parallel firstprivate(g)
  { g = 20;
#pragma omp for reduction(max : m)
    for (int i = 0; i < n; ++i) { double v = (i * 31 % 97) * g; if (v > m) m = v; a[i] = v; } }
  printf("11 %.17g %g\n", sum(), m);
#pragma omp parallel for firstprivate(g, tab) lastprivate(e0)
  for (int i = 0; i < n; ++i) { tab[i % 4] = i + g; e0 = i; a[i] = tab[i % 4]; }
  printf("12 %.17g %d %g\n", sum(), e0, tab[1]);
#pragma omp parallel default(none) shared(a, n) private(g)
  { g = 1;
    for (int t = 0; t < 4; ++t) {
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] += g;
      g *= 2; } }
  printf("13 %.17g %d\n", sum(), g);
}
