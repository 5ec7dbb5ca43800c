// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed arrays, no loop that runs on devices, and a main() without arguments, in each mode.
//
// RUN: %muster-link -O1 %s -o %t
// RUN: %run MUSTER_DEVICES=cpu,pocl %t | FileCheck %s
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto %t | FileCheck %s
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu MUSTER_TUNE=auto mpirun --allow-run-as-root --oversubscribe -n 2 %t | FileCheck %s
// CHECK: 7
#include <cstdio>

int main() {
#pragma ompx managed(a)
  int* a = new int[10]();
  a[3] = 7;
  printf("%d\n", a[3]);
  delete[] a;
}
