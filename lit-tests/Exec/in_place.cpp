// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_TUNE=auto begins on rank 0's CPU, in place, tries all devices, and goes back where that is slower; arrays that
// are not managed, allocations and the program's own accesses come between.
//
// RUN: %muster-link -O1 %s -o %t
// RUN: %plain -O1 -w %s -o %t.plain
// RUN: %t.plain > %t.expected
//
// RUN: %run MUSTER_CACHE_DIR= MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_INJECT=cheap-trials MUSTER_TUNE_LOG=%t.log %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s < %t.log
// RUN: %run MUSTER_CACHE_DIR= MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_INJECT=cheap-trials MUSTER_MIN_SHARE=0 MUSTER_TUNE_LOG=%t.log mpirun --allow-run-as-root --oversubscribe -n 2 %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s < %t.log
// RUN: %run MUSTER_CACHE_DIR= MUSTER_DEVICES=cpu MUSTER_TUNE=auto MUSTER_INJECT=cheap-trials MUSTER_MIN_SHARE=0 MUSTER_TUNE_LOG=%t.log mpirun --allow-run-as-root --oversubscribe -n 3 %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s < %t.log
//
// Where going there is expected to cost more than so short a run may lose, no other device is even looked for.
// RUN: %run MUSTER_CACHE_DIR= MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_TUNE_LOG=%t.log MUSTER_INFO=1 %t 9 2>&1 > %t.out | FileCheck %s --check-prefix=ALONE
// RUN: %t.plain 9 | diff - %t.out && FileCheck %s --check-prefix=NONE < %t.log
//
// Where there is no CPU to begin with, and where nothing is searched for:
// RUN: %run MUSTER_CACHE_DIR= MUSTER_DEVICES=pocl MUSTER_TUNE=auto MUSTER_INJECT=cheap-trials MUSTER_TUNE_LOG=%t.log %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=NONE < %t.log
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_TUNE_LOG=%t.log %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=NONE < %t.log
//
// CHECK: in_place.cpp:{{[0-9]+}}{{.*}}try {{[123]}}:
// NONE-NOT: in_place.cpp
// ALONE: [0] rank 0 on {{.*}}: cpu
// ALONE-NOT: opencl
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1500;
  const int n = 3000;
  int table[64];  // not managed
  for (int i = 0; i < 64; ++i) table[i] = i * i % 17;
#pragma ompx managed(u)
  std::vector<double> u(n, 1.0);
  double all = 0;
  for (int t = 0; t < steps; ++t) {
#pragma ompx managed(v)
    double* v = new double[n];
#pragma omp parallel for
    for (int i = 0; i < n; ++i) v[i] = u[i] * 0.5 + table[i % 64] + t % 5;
    double sum = 0;
#pragma omp parallel for reduction(max : sum)
    for (int i = 0; i < n; ++i) sum = v[i] > sum ? v[i] : sum;
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) u[i] = 0.25 * (v[i - 1] + 2 * v[i] + v[i + 1]);
    if (t % 100 == 7) {
      u[t % n] += sum;
      table[t % 64] += 1;
    }
    if (t % 10 == 0) all += sum + u[(7 * t) % n];
    delete[] v;
  }
  for (const double value : u) all += value;
  std::printf("%.17g\n", all);
}
