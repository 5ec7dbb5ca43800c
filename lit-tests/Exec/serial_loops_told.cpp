// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that asks how many threads it has, and adds up without atomics where that is one, as LULESH does: no
// iterations of such a loop run at a time, whatever devices there are. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && env OMP_NUM_THREADS=1 %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=opencl MUSTER_CACHE_DIR=%t.cache MUSTER_INFO=1 %t.muster 2> %t.info | diff %t.expected -
// RUN: FileCheck %s < %t.info
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 %t.plain > %t.expected3
// RUN: env OMP_NUM_THREADS=3 MUSTER_TUNE=off MUSTER_DEVICES=cpu,opencl MUSTER_CACHE_DIR=%t.cache mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t.muster | diff %t.expected3 -
#include <omp.h>

#include <cstdio>

int main() {
  const int n = 100000, nodes = 1000;
#pragma ompx managed(force, parts)
  static double force[nodes], parts[n];
#pragma ompx managed(corner)
  static int corner[n];
  for (int i = 0; i < n; ++i) corner[i] = i / 97 % nodes;
  const bool alone = omp_get_max_threads() == 1;
  for (int step = 0; step < 3; ++step) {
// CHECK-DAG: serial_loops_told.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: {{.*}}omp_get_max_threads or omp_get_num_threads told the program of one
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const double value = 1 + (i * 7 + step) % 5;
      if (alone)
        force[corner[i]] += value;
      else
        parts[i] = value;
    }
    if (!alone)
      for (int i = 0; i < n; ++i) force[corner[i]] += parts[i];
  }
  // In regions, where the number is asked for inside.
#pragma omp parallel
  {
    const bool one = omp_get_num_threads() == 1;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      if (one) force[corner[i]] += 2;
    }
#pragma omp single
    if (!one)
      for (int i = 0; i < n; ++i) force[corner[i]] += 2;
  }
  double sum = 0, weighted = 0;
  for (int k = 0; k < nodes; ++k) sum += force[k], weighted += force[k] * (k % 13);
  std::printf("%.12g %.12g\n", sum, weighted);
}
