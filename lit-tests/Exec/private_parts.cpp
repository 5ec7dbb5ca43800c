// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of more elements than local memory has room for: work-groups collect a part of them after the other.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>
#include <initializer_list>

#pragma ompx managed(key, bins, bits, sums, seen)
static int *key, *bins;
static unsigned *bits;
static double *sums;
static int *seen;

// CHECK-LABEL: schedule of muster_counts_
// CHECK:         work-groups collect updates of bins in local memory, a part after the other where it does not fit
static void counts(long n, int size) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    if (key[i] % 11 == 3) continue;
#pragma omp atomic
    bins[key[i] % size] += 1 + key[i] % 2;
  }
}

// Of two arrays each has a part of the room by its size.
// CHECK-LABEL: schedule of muster_both_
// CHECK:         work-groups collect updates of sums in local memory, a part after the other where it does not fit
// CHECK-NEXT:    work-groups collect updates of bits in local memory, a part after the other where it does not fit
static void both(int rows, int columns, int size) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
#pragma omp atomic
      sums[key[i * columns + j] % (size / 4 + 1)] += 0.5;
#pragma omp atomic
      bits[key[i * columns + j] % size] ^= 1u << j % 32;
    }
}

// Iterations that write something else run once.
// CHECK-LABEL: schedule of muster_noted_
// CHECK:         work-groups collect updates of bins in local memory{{ *$}}
static void noted(long n, int size) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    seen[i] += 1;
#pragma omp atomic
    bins[key[i] % size]++;
  }
}

int main() {
  const long n = 20000;
  key = new int[n], seen = new int[n]();
  for (long i = 0; i < n; ++i) key[i] = (int)((unsigned)i * 2654435761u >> 8);
  for (int size : {12032, 12033, 24000, 30000, 36096, 36097}) {
    bins = new int[size](), bits = new unsigned[size](), sums = new double[size / 4 + 1]();
    counts(n, size), both(100, 200, size), noted(n, size);
    double hash = 0;
    for (int i = 0; i < size; ++i) hash = hash * 0.9375 + bins[i] + bits[i] % 1009;
    for (int i = 0; i <= size / 4; ++i) hash = hash * 0.9375 + sums[i];
    long total = 0;
    for (int i = 0; i < size; ++i) total += bins[i];
    for (long i = 0; i < n; ++i) total += seen[i];
    std::printf("%d %.17g %ld\n", size, hash, total);
    delete[] bins;
    delete[] bits;
    delete[] sums;
  }
  delete[] key;
  delete[] seen;
}
