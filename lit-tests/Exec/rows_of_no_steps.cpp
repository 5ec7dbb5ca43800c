// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops along rows that have no step, and would have less than none: by more than fits in 32 bits. Work-groups go to
// each tile of a row, and to one where there is none.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster > %t.printed
// RUN: FileCheck %s < %t.printed
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
#include <cstdio>

const int n = 70, m = 100;
#pragma ompx managed(a, b, r)
double a[n * m], b[n * m], r[n];

// CHECK-LABEL: schedule of muster_read_
// CHECK: work-groups load rows together where these are long
static void read(long lo, long hi) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0, rest = 0;
    for (int j = 0; j < m; ++j) sum += b[i * m + j] * 0.5;
    for (long j = 0; j < hi - lo; ++j) rest += a[i * m + j] + 1;
    r[i] = sum + 1000 * rest;
  }
}

// CHECK-LABEL: schedule of muster_downwards_
// CHECK: work-groups load rows together where these are long
static void downwards(long lo, long hi) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0, rest = 0;
    for (int j = 0; j < m; ++j) sum += b[i * m + j] * 0.5;
    for (long j = hi - lo - 1; j >= 0; --j) rest += a[i * m + j] + 1;
    r[i] = sum + 1000 * rest;
  }
}

// CHECK-LABEL: schedule of muster_store_
// CHECK: work-groups load rows together where these are long
static void store(long lo, long hi) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 1; j < m; ++j) b[i * m + j] = b[i * m + j - 1] / 2 + a[i * m + j];
    for (long j = 0; j < hi - lo; ++j) a[i * m + j] = b[i * m + j] + 1;
    for (long j = hi - lo - 1; j >= 0; --j) b[i * m + j] += a[i * m + j];
  }
}

static void run(long lo, long hi) {
  for (int i = 0; i < n * m; ++i) a[i] = i % 13, b[i] = i % 5;
  read(lo, hi);
  double seen = 0;
  for (int i = 0; i < n; ++i) seen = seen * 0.99 + r[i];
  downwards(lo, hi);
  for (int i = 0; i < n; ++i) seen = seen * 0.99 + r[i];
  store(lo, hi);
  for (int i = 0; i < n * m; ++i) seen = seen * 0.99 + a[i] + 3 * b[i];
  std::printf("%ld %ld: %.17g\n", lo, hi, seen);
}

int main() {
  run(0, m);
  run(5, m);
  run(5, 5);
  run(2147483648, -2147483643);  // 5 steps in 32 bits
  run(2147483647, -2147483643);
  run(2147483647, -2);  // nearly 2^31 of them
}
