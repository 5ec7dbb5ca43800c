// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `std::shared_ptr` to an array: its elements are found through the base class that defines `operator[]`, which casts
// itself to the class that holds the pointer. Where devices have memory of their own the loop stays on rank 0: nothing marks the array.
// RUN: %plain -O1 -std=c++17 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -std=c++17 %s -o %t 2>&1 | FileCheck %s --check-prefix=NOTES --allow-empty
// RUN: %run MUSTER_TUNE=off %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_WEIGHTS=1,1,1 MUSTER_INFO=1 \
// RUN:     mpirun --allow-run-as-root --oversubscribe -n 3 %t > %t.ranks 2> %t.said
// RUN: diff %t.expected %t.ranks && FileCheck %s --check-prefix=RANKS < %t.said
// NOTES-NOT: stays plain OpenMP
// RANKS: storage_shared.cpp:[[#@LINE+8]]: this loop runs on rank 0's CPU: its argument {{.*}} does not point into
#include <cstdio>
#include <memory>

int main() {
  const int n = 53;
  std::shared_ptr<double[]> p(new double[n]), q(new double[n]);
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = i * 0.5, q[i] = 1;
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) q[i] = p[i - 1] + p.get()[i + 1];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += q[i] * (i + 1);
  std::printf("%.12g\n", sum);
}
