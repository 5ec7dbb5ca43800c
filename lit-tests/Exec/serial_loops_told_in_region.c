// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that asks in a region of its own how many threads it has, and adds up without atomics where that is one:
// the region has no loop, so that it stays as it is. The plain program is the oracle.
//
// RUN: %plain-c -O1 -w %s -o %t.plain && env OMP_NUM_THREADS=1 %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=opencl MUSTER_CACHE_DIR=%t.cache %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 %t.plain > %t.expected3
// RUN: env OMP_NUM_THREADS=3 MUSTER_TUNE=off MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t.muster | diff %t.expected3 -
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 30000;
  int threads = 0;
#pragma ompx managed(sums)
  double *sums = malloc(n * sizeof *sums);
  for (int i = 0; i < n; ++i) sums[i] = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
  if (threads == 1) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) sums[i % 7] += i;
  }
  printf("%d %g %g\n", threads, sums[0], sums[6]);
  free(sums);
}
