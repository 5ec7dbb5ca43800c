// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two names for one array, by which iterations give values to the next ones of their chunk: native code keeps the
// chunks, also with last values. A chunk that only the launch computes leaves the loop plain.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run OMP_NUM_THREADS=3 %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run OMP_NUM_THREADS=3 MUSTER_TUNE=off %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_TUNE=off MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl MUSTER_TUNE=off MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
#include <cstdio>

static const int n = 32000, chunk = 1000;
static int asked = 0;
static int width(const int* from) { return ++asked > 0 ? *from : 1; }

static void launched(double* to, const double* from, const double* a, const int* sizes) {
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}}chunks
#pragma omp parallel for schedule(static, width(sizes))
  for (int i = 0; i < n; ++i) to[i] = a[i] + (i % chunk == 0 ? 0 : from[i - 1]);
}

static double last(double* to, const double* from, const double* a) {
  double value = 0;
#pragma omp parallel for schedule(static, chunk) lastprivate(value)
  for (int i = 0; i < n; ++i) {
    value = a[i] + (i % chunk == 0 ? 0 : from[i - 1]);
    to[i] = value;
  }
  return value;
}
// CHECK-NOT: stays

int main() {
#pragma ompx managed(a, b)
  double* a = new double[n];
  double* b = new double[n];
  for (int i = 0; i < n; ++i) a[i] = i % 7, b[i] = 0;
  launched(b, b, a, &chunk);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += b[i] * (i % 5);
  for (int i = 0; i < n; ++i) b[i] = 0;
  const double value = last(b, b, a);
  for (int i = 0; i < n; ++i) sum += b[i] * (i % 3);
  std::printf("%.0f %g\n", sum, value);
  delete[] a;
  delete[] b;
}
