// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a region have of a loop is used otherwise than by one operation: the last value, a square, the sum of
// maxima, the largest sum. `schedule(static)` says what each thread has, so that the region keeps its team.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
#include <cstdio>
#include <omp.h>
int main() {
  const int n = 999;
  #pragma ompx managed(p)
  double *p = new double[n];
  for (int i = 0; i < n; ++i) p[i] = i;
  long s = 0; double d = 0;
  #pragma omp parallel
  { int k = 0;
    #pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) { k = i; p[i] += 1; }
    #pragma omp critical
    s += k; }
  printf("1 %ld\n", s);
  s = 0;
  #pragma omp parallel
  { int k = 0;
    #pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) { k++; p[i] += 1; }
    #pragma omp critical
    s += k * k; }
  printf("2 %ld\n", s);
  s = 0;
  #pragma omp parallel
  { int f = 0;
    #pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) { if (i % 100 == 5) f = 1; p[i] += 1; }
    #pragma omp critical
    s += f; }
  printf("3 %ld\n", s);
  d = 0;
  #pragma omp parallel
  { double m = 0;
    #pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) if (p[i] > m) m = p[i];
    #pragma omp critical
    d += m; }
  printf("4 %g\n", d);
  d = 0;
  #pragma omp parallel
  { double m = 0;
    #pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) m += p[i];
    #pragma omp critical
    d = m > d ? m : d; }
  printf("5 %g\n", d);
  d = 0;
  #pragma omp parallel
  { double m = 0;
    #pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) m += p[i];
    m = m / 2 + 1;
    #pragma omp critical
    d += m; }
  printf("6 %g\n", d);
}
