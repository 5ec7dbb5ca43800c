// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compare and swap: who comes first is known to one device, natively.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t 2>&1 | FileCheck --check-prefix=REMARKS %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck %s
// CHECK: this loop runs on rank 0's CPU: its iterations may give each other values within the chunks of its schedule
// CHECK-COUNT-3: this loop runs on one device: {{.*}} whose order counts
#include <cstdio>

template <typename T>
static bool swapped(T &x, const T &before, const T &after) {
  return __sync_bool_compare_and_swap(&x, before, after);
}

// The components of a graph, by their smallest node.
static void unite(int u, int v, int *parent) {
  int p = parent[u], q = parent[v];
  while (p != q) {
    const int high = p > q ? p : q, low = p + (q - high);
    const int above = parent[high];
    if (above == low || (above == high && swapped(parent[high], high, low))) break;
    p = parent[parent[high]];
    q = parent[low];
  }
}

int main() {
  const int n = 4000;
#pragma ompx managed(parent)
  int *parent = new int[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) parent[i] = i;
// REMARKS: [[# @LINE + 1]]:1: remark: loop 'muster_main_[[# @LINE + 1]]' runs on CPUs only: calls '__sync_bool_compare_and_swap', by which iterations may wait for each other
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < n; ++i)
    for (int k = 1; k < 4; ++k) unite(i, i * k * 3 % n, parent);
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    while (parent[i] != parent[parent[i]]) parent[i] = parent[parent[i]];
    sum += parent[i] * (i % 13L);
  }
  std::printf("%ld\n", sum);
// A set of bits, each of which is set in a loop.
#pragma ompx managed(bits)
  unsigned long *bits = new unsigned long[n / 64 + 1]();
// REMARKS: [[# @LINE + 1]]:1: remark: loop 'muster_main_[[# @LINE + 1]]' runs on CPUs only: calls '__sync_bool_compare_and_swap'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    unsigned long *word = &bits[i * 7 % n / 64], before, after;
    do {
      before = *word;
      after = before | 1ul << i % 64;
    } while (!__sync_bool_compare_and_swap(word, before, after));
  }
  sum = 0;
  for (int i = 0; i < n / 64 + 1; ++i) sum ^= bits[i] * (i + 1);
  std::printf("%lx\n", sum);
// The value before, and a lock around what is in other arrays.
#pragma ompx managed(first)
  int *first = new int[16];
#pragma ompx managed(locks)
  int *locks = new int[16]();
#pragma ompx managed(sums)
  double *sums = new double[16]();
  for (int i = 0; i < 16; ++i) first[i] = -1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (__sync_val_compare_and_swap(&first[i % 16], -1, i % 16) >= 0) sums[i % 16] += 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    while (!__sync_bool_compare_and_swap(&locks[i % 16], 0, 1)) {
    }
    sums[i % 16] += i;
    __sync_fetch_and_and(&locks[i % 16], 0);
  }
  for (int i = 0; i < 16; ++i) std::printf("%d %g ", first[i], sums[i]);
  std::printf("\n");
  delete[] parent;
  delete[] bits;
  delete[] first;
  delete[] locks;
  delete[] sums;
}
