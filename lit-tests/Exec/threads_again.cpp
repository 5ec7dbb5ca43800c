// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose threads launch loops at once begins on one CPU; the next run with the same arguments has all devices
// from its start on, and another one with others does not.
//
// RUN: %muster-link -O1 %s -o %t
// RUN: %plain -w %s -o %t.plain && %t.plain > %t.expected && %t.plain 6 > %t.six
// RUN: rm -rf %t.cache
// DEFINE: %{run} = %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_INJECT=cheap-trials MUSTER_MIN_SHARE=0 MUSTER_THREADS=static MUSTER_INFO=1 OMP_NUM_THREADS=2
// RUN: %{run} %t 2> %t.err | diff %t.expected -
// RUN: FileCheck %s --check-prefix=FIRST < %t.err
// RUN: %{run} %t 2> %t.err | diff %t.expected -
// RUN: FileCheck %s < %t.err
// RUN: %{run} %t 6 2> %t.err | diff %t.six -
// RUN: FileCheck %s --check-prefix=FIRST < %t.err
//
// CHECK: muster: all devices from the start: earlier runs took {{.*}} on this CPU
// CHECK: launches of threads that launch at once: {{[1-9][0-9]*}} on the devices of their threads
// FIRST-NOT: all devices from the start
// FIRST: in place on rank 0's CPU
// FIRST-NOT: launches of threads
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>

unsigned grow(int frame, int n) {
#pragma ompx managed(a, b)
  std::vector<unsigned> a(n, frame), b(n);
  for (int t = 0; t < 60; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) b[i] = a[i] * 1664525u + a[i > 0 ? i - 1 : 0];
    a.swap(b);
  }
  unsigned sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}

int main(int argc, char** argv) {
  const int frames = argc > 1 ? atoi(argv[1]) : 8;
  std::vector<unsigned> sums(frames);
  omp_set_num_threads(2);
#pragma ompx managed(weights)
  std::vector<unsigned> weights(frames);
#pragma omp parallel for
  for (int f = 0; f < frames; ++f) weights[f] = f * f + 1;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp for schedule(static, 1)
    for (int f = 0; f < frames; ++f) sums[f] = grow(f, 200000) * weights[f];
  }
  for (int f = 0; f < frames; ++f) printf("%u\n", sums[f]);
}
