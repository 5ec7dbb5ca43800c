// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::sort as GCC's parallel mode makes it, of rows of numbers. It asks for the number of threads, in the chunk: that
// makes no later loop serial, even when the chunk ends before the next launch.
// RUN: %plain -D_GLIBCXX_PARALLEL -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -D_GLIBCXX_PARALLEL -O1 -w -fplugin-arg-muster-remarks=all %s -o %t 2>&1 | FileCheck %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck --check-prefix=LAUNCHES %s
// LAUNCHES-NOT: this loop runs on rank 0
#include <algorithm>
#include <cstdio>

int main() {
  const int n = 500;
#pragma ompx managed(start)
  long *start = new long[n + 1];
  start[0] = 0;
  for (int i = 0; i < n; ++i) start[i + 1] = start[i] + i * 13 % 40;
#pragma ompx managed(values)
  int *values = new int[start[n]];
#pragma ompx managed(rows)
  int **rows = new int *[n + 1];
  for (int i = 0; i <= n; ++i) rows[i] = values + start[i];
#pragma ompx managed(count)
  int *count = new int[n];
  for (int i = 0; i < start[n]; ++i) values[i] = i * 7919 % 17;
// CHECK: [[# @LINE + 1]]:1: remark: loop 'muster_main_[[# @LINE + 1]]' runs on CPUs only: calls 'sort', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *first = rows[i], *last = rows[i + 1];
    std::sort(first, last);
    count[i] = std::unique(first, last) - first;
  }
  const long first = count[0];  // waits for the chunk
// The rows of others are written by their numbers.
// CHECK: [[# @LINE + 1]]:1: remark: loop 'muster_main_[[# @LINE + 1]]' runs on CPUs only: calls 'sort', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (start[n - i] > start[n - 1 - i]) values[start[n - 1 - i]] += count[i];
    std::sort(rows[n - 1 - i], rows[n - i]);
  }
  long sum = first;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < count[i]; ++k) sum += values[start[i] + k] * (k + 1L);
  for (int i = 0; i < n; ++i) sum += count[i] * (i % 7L);
  std::printf("%ld\n", sum);
  delete[] start;
  delete[] values;
  delete[] rows;
  delete[] count;
}
