// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dry runs (MUSTER_DRY_RUN=n): launches are planned for many ranks, nothing is computed, and the host sees what the host
// wrote.
//
// RUN: %muster-link -O1 %s -o %t
// RUN: %run MUSTER_DRY_RUN=1024 MUSTER_DEVICES=cpu %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --check-prefix=REPORT < %t.err
// RUN: %run MUSTER_DRY_RUN=1 MUSTER_DEVICES=cpu %t | FileCheck %s --check-prefix=OUT
// RUN: not env MUSTER_DRY_RUN=few %t 2>&1 | FileCheck %s --check-prefix=BAD
//
// RUN: not env MUSTER_DRY_RUN=4 mpirun --allow-run-as-root --oversubscribe -n 2 %t 2>&1 | FileCheck %s --check-prefix=LAUNCHER
//
// OUT: 7 and 7, sum 5
// REPORT: muster: dry run for 1024 ranks with 1024 devices: nothing was computed or moved
// REPORT-DAG: {{.*}}dry_run.cpp:{{[0-9]+}} ({{.*}}): 20 launches; planned {{[0-9]+}} times anew, in {{.*}} (median)
// REPORT-DAG: up to {{.*}} of changes to merge
// REPORT: the host: {{[1-9][0-9]*}} accesses that would move
// REPORT: the planner's memory: {{.*}} for {{[1-9][0-9]*}} plans
// BAD: MUSTER_DRY_RUN=few
// LAUNCHER: start the program without a launcher
#include <cstdio>
#include <utility>

int main() {
  const long n = 8192, m = 64;
#pragma omp managed(u)
  double* u = new double[n * m];
#pragma omp managed(v)
  double* v = new double[n * m];
#pragma omp managed(bins)
  int* bins = new int[256];
  for (long k = 0; k < n * m; ++k) u[k] = v[k] = 7;
  for (int k = 0; k < 256; ++k) bins[k] = 0;

  for (int t = 0; t < 20; ++t) {
#pragma omp parallel for
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < m - 1; ++j)
        v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]) + 1;
    std::swap(u, v);
  }
#pragma omp parallel for
  for (long k = 0; k < n * m; ++k) {
#pragma omp atomic
    bins[(int)u[k] & 255] += 1;
  }
  double sum = 5;
#pragma omp parallel for reduction(+ : sum)
  for (long k = 0; k < n * m; ++k) sum += u[k];

  printf("%g and %g, sum %g\n", u[n * m / 2], v[m + 1], sum);
  delete[] u;
  delete[] v;
  delete[] bins;
  return 0;
}
