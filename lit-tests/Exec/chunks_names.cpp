// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two names for one array, by which iterations give values to the next ones of their chunk: native code keeps the
// chunks, also with last values. Where only the launch computes the chunk, the loop stays plain if the launch finds one
// array, and is distributed if it does not.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run OMP_NUM_THREADS=3 %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run OMP_NUM_THREADS=3 MUSTER_TUNE=off %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_TUNE=off MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2> %t.report | diff %t.expected -
// RUN: FileCheck --check-prefix=REPORT %s < %t.report
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu MUSTER_TUNE=off mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl MUSTER_TUNE=off MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s 2> %t.log | FileCheck --check-prefix=FACTS %s
#include <cstdio>

static const int n = 32000, chunk = 1000;
static int asked = 0;
static int width(const int* from) { return ++asked > 0 ? *from : 1; }

static void launched(double* to, const double* from, const double* a, const int* sizes) {
// FACTS: loop [[#@LINE+4]] in launched
// FACTS: launched if no two of its arrays are one
// REPORT: chunks_names.cpp:[[#@LINE+2]]: this loop runs on rank 0's CPU: two of its arrays may be one, and the size of its
// REPORT: chunks_names.cpp:[[#@LINE+1]] (muster_launched_{{[0-9]+}}): 1 launch,
#pragma omp parallel for schedule(static, width(sizes))
  for (int i = 0; i < n; ++i) to[i] = a[i] + (i % chunk == 0 ? 0 : from[i - 1]);
}

// Its iterations themselves leave each other values.
static void carried(double* to, const double* a, const int* sizes) {
// CHECK: :[[#@LINE+1]]:1: remark: loop stays {{.*}}chunks
#pragma omp parallel for schedule(static, width(sizes))
  for (int i = 0; i < n; ++i) to[i] = a[i] + (i % chunk == 0 ? 0 : to[i - 1]);
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
#pragma ompx managed(a, b, c)
  double* a = new double[n];
  double* b = new double[n];
  double* c = new double[n];
  for (int i = 0; i < n; ++i) a[i] = i % 7, b[i] = 0;
  launched(b, b, a, &chunk);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += b[i] * (i % 5);
  std::printf("%.0f\n", sum);
  launched(c, b, a, &chunk);
  for (int i = 0; i < n; ++i) sum += c[i] * (i % 5);
  carried(b, c, &chunk);
  for (int i = 0; i < n; ++i) sum += b[i] * (i % 5);
  std::printf("%.0f %d\n", sum, asked);
  for (int i = 0; i < n; ++i) b[i] = 0;
  const double value = last(b, b, a);
  for (int i = 0; i < n; ++i) sum += b[i] * (i % 3);
  std::printf("%.0f %g\n", sum, value);
  delete[] a;
  delete[] b;
  delete[] c;
}
