// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions, and functions with orphaned loops, in templates.
//
// RUN: %plain -O1 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster 2>%t.remarks && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: FileCheck --implicit-check-not=remark: --implicit-check-not=warning: --input-file=%t.remarks %s
#include <cstdio>
#include <utility>

template <class T>
void scale(T *a, int n, T factor) {
#pragma omp for
  for (int i = 0; i < n; ++i) a[i] *= factor;
}

template <class T, int Steps>
T smooth(T *u, T *v, int n) {
  T total = 0;
  int seen = 0;
#pragma omp parallel reduction(+ : seen)
  {
    T *from = u, *to = v;
    T last = 0;
    for (int t = 0; t < Steps; ++t) {
#pragma omp for
      for (int i = 1; i < n - 1; ++i) to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) / 4;
      std::swap(from, to);
      scale<T>(from, n, 2);
    }
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'printf', {{.*}} and 1 other instantiation
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      if (from[i] < 0) std::printf("negative\n");
      seen++;
    }
#pragma omp barrier
#pragma omp for reduction(+ : total)
    for (int i = 0; i < n; ++i) total += from[i];
  }
  return total + seen;
}

int main() {
  const int n = 97;
#pragma ompx managed(a)
  double *a = new double[n];
#pragma ompx managed(b)
  double *b = new double[n];
#pragma ompx managed(k)
  long *k = new long[n];
#pragma ompx managed(l)
  long *l = new long[n];
  for (int i = 0; i < n; ++i) {
    a[i] = b[i] = i % 7;
    k[i] = l[i] = i * 8;
  }
  std::printf("%.10g %ld\n", smooth<double, 5>(a, b, n), smooth<long, 4>(k, l, n));
  scale(a, n, 0.5);
  std::printf("%.10g %ld\n", a[11], k[12]);
  delete[] a;
  delete[] b;
  delete[] k;
  delete[] l;
}
