// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many loops along rows one behind the other. Each has barriers, and POCL's compiler copies what is behind a barrier
// that stands under a condition: eight loops that could run not at all would have it work for hours.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule,kernels %s \
// RUN:   -o %t.muster > %t.printed
// RUN: FileCheck %s < %t.printed
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first timeout 100 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain timeout 100 %t.muster | diff %t.expected -
#include <cstdio>
#include <initializer_list>

// CHECK: work-groups load rows together where these are long
// CHECK: #if defined(MUSTER_TILES)
// CHECK: long muster_t = muster_begin;
// CHECK-NEXT: do {
// CHECK: } while (muster_t <= muster_last);
#pragma ompx managed(a, b)
double a[37 * 150], b[37 * 150];

void sweep(int rows, int length) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = 1; k < length; ++k) {
      a[i * length + k] = a[i * length + k - 1] / 2 + b[i * length + k];
      sum += a[i * length + k];
    }
    for (int k = length - 2; k >= 0; --k) b[i * length + k] = b[i * length + k + 1] / 4 + a[i * length + k];
    for (int k = 0; k < length; ++k) a[i * length + k] = b[i * length + k] - sum / 1024;
    for (int k = 1; k < length; ++k) b[i * length + k] = b[i * length + k - 1] / 2 - a[i * length + k];
    for (int k = length - 2; k >= 0; --k) a[i * length + k] = a[i * length + k + 1] / 8 + b[i * length + k];
    for (int k = 0; k < length; ++k) {
      b[i * length + k] = b[i * length + k] + a[i * length + k] / 2;
      sum += b[i * length + k];
    }
    for (int k = 1; k < length; ++k) a[i * length + k] = a[i * length + k - 1] / 2 + b[i * length + k];
    for (int k = 0; k < length; ++k) b[i * length + k] = a[i * length + k] - sum / 2048;
  }
}

int main() {
  for (int i = 0; i < 37 * 150; ++i) {
    a[i] = i % 13;
    b[i] = i % 7;
  }
  for (int length : {1, 2, 31, 32, 33, 64, 65, 150}) sweep(37, length);
  double seen = 0;
  for (int i = 0; i < 37 * 150; ++i) seen += a[i] * (i % 5) + b[i] * (i % 3);
  std::printf("%.17g\n", seen);
}
