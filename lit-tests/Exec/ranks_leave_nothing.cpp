// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks leave no file of the OpenMP runtime in /dev/shm, neither those that serve nor one that fails.
//
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t
// RUN: rm -f %t.pids
// RUN: %run MUSTER_TUNE=off MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 sh -c 'echo $$ >> %t.pids && exec %t' | FileCheck %s
// CHECK: 1500
// RUN: wc -l < %t.pids | grep -x 3
// RUN: not env MUSTER_DEVICES=none-of-these sh -c 'echo $$ >> %t.pids && exec %t'
// RUN: wc -l < %t.pids | grep -x 4
// RUN: sh -c 'for pid in $(cat %t.pids); do ls /dev/shm | grep "__KMP_REGISTERED_LIB_${pid}_" && exit 1; done; exit 0'
#include <cstdio>

int main() {
  const int n = 1000;
#pragma omp managed(a)
  double *a = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = 1.5;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  std::printf("%g\n", sum);
  delete[] a;
}
