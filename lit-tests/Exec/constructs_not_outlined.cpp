// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives that Muster does not serve cost their own loops and no others, and main is run once.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
int main() {
  const int n = 1000;
  // CHECK-DAG: remark: array 'b' is partitioned
#pragma ompx managed(b)
  double *b = new double[n]();
  double s = 0;
  // CHECK-DAG: :[[@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: 'reduction' with a modifier
  // CHECK-DAG: :[[@LINE+1]]:26: note: here
#pragma omp parallel for reduction(inscan, + : s)
  for (int i = 0; i < n; ++i) {
    s += i;
#pragma omp scan inclusive(s)
    b[i] = s;
  }
  // CHECK-DAG: :[[@LINE+1]]:61: remark: loop stays plain OpenMP on rank 0: is chosen by an 'omp metadirective'
#pragma omp metadirective when(user = {condition(n > 10)} : parallel for) default(nothing)
  for (int i = 0; i < n; ++i) b[i] += 1;
  // CHECK-DAG: :[[@LINE+1]]:61: remark: region stays plain OpenMP on rank 0: is chosen by an 'omp metadirective'
#pragma omp metadirective when(user = {condition(n > 10)} : parallel) default(nothing)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] += 1;
  }
  // CHECK-DAG: :[[@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[@LINE+1]]' for all devices
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] += 1;
  std::printf("%.17g %.17g %.17g\n", s, b[5], b[n - 1]);
  delete[] b;
}
