// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread of a team prints is printed by each: such regions stay with their teams. What one of them prints, or
// what is printed under a condition, leaves the region to one thread.
//
// RUN: %plain -w %s -o %t.plain && env OMP_NUM_THREADS=3 %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run OMP_NUM_THREADS=3 %t.muster | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=opencl MUSTER_TUNE=off %t.muster | diff %t.expected -
//
// CHECK-COUNT-3: remark: region stays {{.*}}: prints outside of its loops, as each thread of a team does
// CHECK-NOT: region stays
// CHECK: remark: loops: 2 for all devices, 0 for CPUs only, 3 plain OpenMP
#include <cstdio>
#include <iostream>

static void each(double *a, int n) {
#pragma omp parallel
  {
    std::printf("a thread\n");
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
#pragma omp parallel
  {
    for (int t = 0; t < 2; ++t) {
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] *= 1.5;
#pragma omp critical
      std::cout << "a thread " << "and a step" << std::endl;
    }
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] -= 1;
    std::puts("a thread is done");
  }
}

static void one(double *a, int n, int verbose) {
#pragma omp parallel
  {
#pragma omp single
    std::printf("one\n");
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
#pragma omp master
    std::cout << "the first" << std::endl;
    if (verbose > 1) std::printf("never\n");
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 0.5;
  }
}

int main() {
  const int n = 1000;
#pragma ompx managed(a)
  static double a[n];
  each(a, n);
  one(a, n, 1);
  double all = 0;
  for (int i = 0; i < n; ++i) all += a[i];
  std::printf("%.17g\n", all);
}
