// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run showed is kept in the cache directory; where all devices were faster, the next run begins with them.
//
// RUN: %muster-link -O1 %s -o %t
// RUN: %plain -w %s -o %t.plain && %t.plain > %t.expected
// RUN: rm -rf %t.cache
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_TUNE_LOG=%t.log %t | diff %t.expected -
// RUN: FileCheck %s --check-prefix=NONE < %t.log
// RUN: ls %t.cache/runs/*.json | wc -l | grep -x 1
//
// As if POCL had been tried, and had been fast:
// RUN: sed -E 's/\[([0-9]+),([0-9.e-]+),-1[.0]*,[0-9.]+,([0-9.e-]+),([0-9.e-]+),false,/[\1,\2,0.0,1e6,\3,\4,true,/g' -i %t.cache/runs/*.json
// RUN: cp -r %t.cache %t.other
// RUN: %run MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_INJECT=cheap-trials MUSTER_TUNE_LOG=%t.log %t | diff %t.expected -
// RUN: FileCheck %s < %t.log
// CHECK: in_place_again.cpp:{{.*}}use {{.*}}all devices were faster in earlier runs
//
// Not with other devices, nor where nothing is to be known:
// RUN: %run MUSTER_CACHE_DIR=%t.other MUSTER_DEVICES=cpu,pocl MUSTER_EARLIER_RUNS=off MUSTER_TUNE=auto MUSTER_TUNE_LOG=%t.log %t | diff %t.expected -
// RUN: FileCheck %s --check-prefix=NONE < %t.log
// RUN: %run MUSTER_CACHE_DIR=%t.other MUSTER_DEVICES=pocl,cpu MUSTER_TUNE=auto MUSTER_TUNE_LOG=%t.log %t | diff %t.expected -
// RUN: FileCheck %s --check-prefix=NONE < %t.log
// NONE-NOT: in_place_again.cpp
//
// A folder that cannot be written is said, and costs nothing else.
// RUN: rm -rf %t.other/runs && touch %t.other/runs
// RUN: %run MUSTER_CACHE_DIR=%t.other MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto %t 2> %t.err | diff %t.expected -
// RUN: FileCheck %s --check-prefix=FULL < %t.err
// FULL: muster: warning: {{.*}}what this run showed of its loops cannot be kept
#include <cstdio>
#include <vector>

int main() {
  const int n = 3000;
#pragma ompx managed(u, v)
  std::vector<double> u(n, 1.0), v(n);
  for (int t = 0; t < 20; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) v[i] = u[i] * 0.5 + t % 5;
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) u[i] = 0.25 * (v[i - 1] + 2 * v[i] + v[i + 1]);
  }
  double all = 0;
  for (const double value : u) all += value;
  std::printf("%.17g\n", all);
}
