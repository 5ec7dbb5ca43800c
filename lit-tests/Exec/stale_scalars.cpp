// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reference parameter may be an element of an array that the loop writes, which only the launch can see: a warning. It
// is no element that the loop writes in pivot(), and an element of another array in scale(b, n, a[3]).
// RUN: %muster-link -O1 %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s
// RUN: env MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %run %t 2>&1 | FileCheck %s
// CHECK-NOT: stale_scalars.cpp
// CHECK: warning: {{.*}}stale_scalars.cpp:1{{[67]}}: 'factor' lies in array 'a' where this loop may write it: all iterations see its value from before the loop; pass 'factor' by value
// CHECK-NOT: stale_scalars.cpp
// CHECK: warning: {{.*}}stale_scalars.cpp:2{{[45]}}: 'add' lies in array 'c'
// CHECK-NOT: stale_scalars.cpp
// CHECK: done
#include <cstdio>

static void scale(double *a, int n, const double &factor) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] *= factor;
}
static void pivot(double *a, int n, const double &first) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] /= first;
}
static void scatter(int *c, const int *to, int n, const int &add) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) c[to[i]] = i + add;
}

int main() {
  const int n = 1000;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
#pragma ompx managed(c, to)
  int *c = new int[n], *to = new int[n];
  for (int i = 0; i < n; ++i) a[i] = b[i] = i + 1, c[i] = i, to[i] = n - 1 - i;
  scale(b, n, a[3]);
  pivot(a, n, a[0]);
  scale(a, n, a[3]);
  scale(a, n, a[4]);
  scatter(c, to, n, c[1]);
  std::fflush(stderr);
  std::puts("done");
  delete[] a;
  delete[] b;
  delete[] c;
  delete[] to;
}
