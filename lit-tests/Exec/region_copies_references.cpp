// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that make references private: the copies are none of what they refer to.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -w %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
static int g = 3;
struct S { int k; };
static void orphaned(double *a, int n) {
  static int t = 5;
#pragma omp for
  for (int i = 0; i < n; ++i) a[i] += t + g;
}
int main() {
  const int n = 1000;
#pragma ompx managed(a)
  double *a = new double[n]();
  auto sum = [&] { double x = 0; for (int i = 0; i < n; ++i) x += a[i] * (i % 5), a[i] = 0; return x; };
  int x = 4; int &r = x; S s = {3}; S &rs = s; double arr[3] = {1, 2, 3}; double (&ra)[3] = arr; int &rg = g;
#pragma omp parallel private(r)
  { r = 9;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = r; }
  printf("1 %.17g %d\n", sum(), x);
#pragma omp parallel firstprivate(r)
  { r += 9;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = r + x; }
  printf("2 %.17g %d\n", sum(), x);
#pragma omp parallel firstprivate(rs)
  { rs.k += 9;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = rs.k + s.k; }
  printf("3 %.17g %d\n", sum(), s.k);
#pragma omp parallel firstprivate(ra)
  { ra[1] += 9;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = ra[i % 3] + arr[1]; }
  printf("4 %.17g %g\n", sum(), arr[1]);
#pragma omp parallel private(r)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) { r = i; a[i] = r; } }
  printf("5 %.17g %d\n", sum(), x);
  int tot = 0;
#pragma omp parallel private(r)
  { r = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) r += i;
#pragma omp critical
    tot += r; }
  printf("6 %d %d\n", tot, x);
#pragma omp parallel firstprivate(rg)
  { rg = 10;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = rg + g; }
  printf("7 %.17g %d\n", sum(), g);
#pragma omp parallel firstprivate(g)
  { g = 10; orphaned(a, n);
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += rg * g; }
  printf("8 %.17g %d\n", sum(), g);
}
