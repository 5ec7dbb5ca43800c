// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit() while a device still compiles and runs: the loop is finished, destructors see its result, the exit code stays.
//
// RUN: %muster-link -O1 -w %s -o %t
// RUN: rm -rf %t.caches && mkdir -p %t.caches
// RUN: not %run MUSTER_DEVICES=opencl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t > %t.out
// RUN: FileCheck %s < %t.out
// CHECK: sum 44850
#include <cstdio>
#include <cstdlib>
#include <vector>

#pragma ompx managed(values)
static std::vector<double> values(300);

struct Report {
  ~Report() {
    double sum = 0;
    for (double value : values) sum += value;
    std::printf("sum %g\n", sum);
  }
} atTheEnd;

static void work() {
#pragma omp parallel for
  for (int i = 0; i < 300; i++) values[i] = i;
  std::exit(3);
}

int main() { work(); }
