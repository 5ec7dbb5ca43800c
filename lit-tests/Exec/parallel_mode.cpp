// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parallel mode of libstdc++, which is chosen by a macro in front of the first #include.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster 2>&1 | FileCheck --allow-empty %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %muster-link -std=c++11 -O1 %s -o %t.muster 2>&1 | FileCheck --allow-empty %s
// CHECK-NOT: internal error
#ifdef _OPENMP
#define _GLIBCXX_PARALLEL
#endif
#include <algorithm>
#include <iostream>
#include <vector>

#include "Inputs/parallel_mode.h"
int main() {
  Values<int> a(10);
  a.fill(3);
#pragma ompx managed(d)
  std::vector<double> d(1000);
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) d[i] = (i * 7919) % 1000;
  std::sort(d.begin(), d.end());
  std::cout << a[2] << ' ' << Sorter<int>::go(32) << ' ' << d[17] << std::endl;
}
