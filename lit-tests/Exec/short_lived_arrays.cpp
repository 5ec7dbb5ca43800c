// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are made, grown and freed again and again: small ones share pages, memory is used again, and is zero only
// where the program says so. All loops are distributed (MUSTER_INFO tells if one is not).
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static long created(int n, int round) {
#pragma ompx managed(a)
  int *a = new int[n];
#pragma ompx managed(zero)
  int *zero = new int[n]();
  long sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i + round;
    zero[i] += a[i];
  }
  for (int i = 0; i < n; ++i) sum += zero[i];
  delete[] a;
  delete[] zero;
  return sum;
}

static double filled(int n, int round) {
  double local[32], cleared[32] = {};
#pragma ompx managed(v)
  std::vector<double> v;
  for (int i = 0; i < n; ++i) v.push_back(i * 0.5);
  v.emplace_back(v.back() + round);
  v.push_back(v[v.size() / 2]);
  const int count = v.size();
#pragma omp parallel for
  for (int i = 0; i < count; ++i) v[i] += round;
  double sum = 0;
  for (double x : v) sum += x;
  for (int i = 0; i < 32; ++i) sum += cleared[i] + (local[i] = i);
  return sum;
}

static int locals(int round) {
#pragma ompx managed(given, empty)
  int given[100], empty[100] = {};
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    given[i] = i * round;
    empty[i] += given[i];
  }
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += empty[i];
  return sum;
}

static long grown(int n) {
#pragma ompx managed(a)
  long *a = (long *)malloc(8 * sizeof *a);
  int room = 8;
  for (int i = 0; i < n; ++i) {
    if (i == room) a = (long *)realloc(a, (room += room / 2) * sizeof *a);
    a[i] = i;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] *= 3;
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  free(a);
  return sum;
}

static bool aligned(std::size_t alignment, int n) {
#pragma ompx managed(a)
  double *a = (double *)aligned_alloc(alignment, (n * sizeof(double) + alignment - 1) / alignment * alignment);
  const bool good = (std::uintptr_t)a % alignment == 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i;
  const bool right = a[n - 1] == n - 1;
  free(a);
  return good && right;
}

// Freed by a thread that did not make them.
static long handedOver(int n) {
  std::vector<int *> arrays;
  for (int k = 0; k < 50; ++k) {
#pragma ompx managed(a)
    int *a = new int[n + k];
#pragma omp parallel for
    for (int i = 0; i < n + k; ++i) a[i] = i * k;
    arrays.push_back(a);
  }
  long sum = 0;
  std::thread([&] {
    for (int *a : arrays) {
      sum += a[n - 1];
      delete[] a;
    }
  }).join();
  return sum;
}

int main() {
  for (int round = 0; round < 5; ++round) {
    for (int n : {1, 15, 100, 5000, 20000, 300000}) std::printf("%ld ", created(n, round));
    for (int n : {1, 7, 500, 9000}) std::printf("%g ", filled(n, round));
    for (int n : {9, 5000, 100000}) std::printf("%ld ", grown(n));
    for (std::size_t alignment : {16, 64, 128, 4096, 65536}) std::printf("%d", aligned(alignment, 77));
    std::printf(" %d %ld %ld\n", locals(round), handedOver(10), handedOver(3000));
  }
}
