// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -ffast-math on devices: results within a hundred-thousandth of what exact arithmetic gives, for floats, and a
// ten-thousand-millionth for doubles.
//
// RUN: %muster-link -O2 -w -ffast-math -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | FileCheck %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_INFO=2 %t.muster 2>&1 | FileCheck --implicit-check-not="on the host" %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first MUSTER_INFO=2 %t.muster 2>&1 \
// RUN:   | FileCheck --implicit-check-not="on the host" %s
//
// Parts that are compiled without it keep denormal numbers, which their devices then have to flush as the host does.
// RUN: %muster++ -O2 -w -c %s -o %t.o && %muster-link -O2 -w -ffast-math %t.o -o %t.exact
// RUN: %run MUSTER_DEVICES=pocl MUSTER_INFO=2 %t.exact 2>&1 | FileCheck --check-prefix=FLUSHED %s
// FLUSHED: this loop runs on rank 0's CPU: the program flushes denormal numbers to zero, which devices do in other ways
#include <cmath>
#include <cstdio>

constexpr int bodies = 301;

template <class T>
static void forces(const T *x, const T *m, T *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    T sum = 0;
    for (int j = 0; j < n; ++j) {
      const T d = x[j] - x[i], r = d * d + T(0.01);
      sum += m[j] * d / (r * std::sqrt(r));
    }
    a[i] = sum;
  }
}

template <class T>
static void functions(const T *x, T *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = std::exp(-x[i]) * std::log(x[i] + 2) + std::sqrt(x[i]) / (x[i] + 3);
}

template <class T>
static void run(const char *name, double tolerance) {
#pragma ompx managed(x, m, a)
  T *x = new T[bodies], *m = new T[bodies], *a = new T[bodies];
  for (int i = 0; i < bodies; ++i) x[i] = T(i * 37 % 101) / 64, m[i] = 1 + T(i % 5) / 8;
  int wrong = 0;
  forces(x, m, a, bodies);
  for (int i = 0; i < bodies; ++i) {
    double sum = 0, size = 0;
    for (int j = 0; j < bodies; ++j) {
      const double d = (double)x[j] - x[i], r = d * d + (double)T(0.01), each = m[j] * d / (r * std::sqrt(r));
      sum += each, size += std::fabs(each);
    }
    wrong += std::fabs(a[i] - sum) > tolerance * size;
  }
  functions(x, a, bodies);
  for (int i = 0; i < bodies; ++i) {
    const double v = x[i], y = std::exp(-v) * std::log(v + 2) + std::sqrt(v) / (v + 3);
    wrong += std::fabs(a[i] - y) > tolerance * y;
  }
  std::printf("%s: %d wrong\n", name, wrong);
  delete[] x;
  delete[] m;
  delete[] a;
}

int main() {
  run<float>("float", 1e-5);
  run<double>("double", 1e-10);
}
// CHECK: float: 0 wrong
// CHECK-NEXT: double: 0 wrong
