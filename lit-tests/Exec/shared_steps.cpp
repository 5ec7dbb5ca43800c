// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two iterations of a work-item that share what their loops read, four steps of which read together: the nearest of
// some centres. Rows of other lengths, arrays that begin in the middle of one, other types, numbers of iterations that
// are odd, or fewer than a group has.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule,kernels %s -o %t.muster > %t.printed
// RUN: FileCheck %s < %t.printed
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>
#include <initializer_list>

// CHECK-LABEL: schedule of muster_nearest_
// CHECK:         blocks of 2 x 1 x 1 iterations a work-item, a work-group apart, steps of loops read together
// CHECK-NEXT:    blocks of 2 x 1 x 1 iterations a work-item, a work-group apart{{$}}
// CHECK-LABEL: schedule of muster_odd_
// CHECK-NEXT:    axes i
// CHECK-NEXT:    one iteration a work-item
// CHECK-NEXT:    blocks of 2 x 1 x 1 iterations a work-item, a work-group apart{{$}}
// CHECK-LABEL: schedule of muster_bytes_
// CHECK:         a work-group apart, steps of loops read together
// CHECK-LABEL: schedule of muster_doubles_
// CHECK-NEXT:    axes i
// CHECK-NEXT:    one iteration a work-item
// CHECK-NEXT:    blocks of 2 x 1 x 1 iterations a work-item, a work-group apart{{$}}

// CHECK-LABEL: void muster_nearest_
// CHECK:       #if MUSTER_BLOCKS == 1
// CHECK:         const float4 muster_w0 = *(__global const float4 *)&point[i__0 * 16 + d];
// CHECK-NEXT:    const float4 muster_w1 = *(__global const float4 *)&centre[c * 16 + d];
// CHECK-NEXT:    const float4 muster_w2 = *(__global const float4 *)&point[i__1 * 16 + d];
// CHECK:       #elif MUSTER_BLOCKS == 2
// CHECK:         const float apart__0 = point[i__0 * 16 + d] - centre[c * 16 + d];
static void nearest(const float* point, const float* centre, int* result, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < 40; c++) {
      float square = 0;
      for (int d = 0; d < 16; d++) {
        const float apart = point[i * 16 + d] - centre[c * 16 + d];
        square += apart * apart;
      }
      if (square < least) least = square, best = c;
    }
    result[i] = best;
  }
}

// Rows that begin anywhere.
static void odd(const float* point, const float* centre, int* result, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < 40; c++) {
      float square = 0;
      for (int d = 0; d < 15; d++) {
        const float apart = point[i * 15 + d] - centre[c * 15 + d];
        square += apart * apart;
      }
      if (square < least) least = square, best = c;
    }
    result[i] = best;
  }
}

static void bytes(const unsigned char* table, const int* from, int* result, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned sum = from[i];
    for (int d = 0; d < 601; d++) sum = sum * 3 + table[d];
    result[i] = (int)sum;
  }
}

static void doubles(const double* table, const int* from, double* result, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = from[i];
    for (int d = 0; d < 602; d++) sum = sum * 0.5 + table[d];
    result[i] = sum;
  }
}

template <class T>
static void report(const char* name, const T* data, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 0.999 + (double)data[i];
  printf("%s %.17g\n", name, sum);
}

int main() {
  const int most = 3000;
#pragma ompx managed(point, centre)
  float *point = new float[most * 16 + 3], *centre = new float[40 * 16 + 3];
#pragma ompx managed(whole, result)
  int *whole = new int[most], *result = new int[most];
#pragma ompx managed(table)
  unsigned char* table = new unsigned char[605];
#pragma ompx managed(real, sums)
  double *real = new double[602], *sums = new double[most];
  for (int i = 0; i < most * 16 + 3; ++i) point[i] = i * 37 % 101;
  for (int i = 0; i < 40 * 16 + 3; ++i) centre[i] = i * 29 % 97;
  for (int i = 0; i < most; ++i) whole[i] = i % 13;
  for (int i = 0; i < 605; ++i) table[i] = i * 7;
  for (int i = 0; i < 602; ++i) real[i] = i * 0.25;
  for (int n : {3000, 2999, 513, 100, 1}) {
    nearest(point, centre, result, n), report("nearest", result, n);
    nearest(point + 3, centre, result, n), report("from 3", result, n);
    nearest(point, centre + 1, result, n), report("from 1", result, n);
    odd(point, centre, result, n), report("odd", result, n);
    bytes(table, whole, result, n), report("bytes", result, n);
    bytes(table + 2, whole, result, n), report("bytes from 2", result, n);
    doubles(real, whole, sums, n), report("doubles", sums, n);
  }
  delete[] point, delete[] centre, delete[] whole, delete[] result, delete[] table, delete[] real, delete[] sums;
}
