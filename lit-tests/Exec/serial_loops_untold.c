// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that never asks how many threads it has: one thread by the environment makes none of its loops serial.
// What native code and an orphaned loop ask is not asked by the program.
//
// RUN: %plain-c -O1 -w %s -o %t.plain && env OMP_NUM_THREADS=1 %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-strict %s -o %t.c
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t.c 2> %t.info | diff %t.expected -
// RUN: FileCheck %s < %t.info
// RUN: %muster-link -x c++ -O1 -w -fplugin-arg-muster-strict %s -o %t.cpp
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t.cpp 2> %t.info | diff %t.expected -
// RUN: FileCheck %s < %t.info
// CHECK-NOT: runs on rank 0's CPU
#include <stdio.h>

enum { n = 50000 };
#pragma ompx managed(parts, out, corner)
double parts[n], out[n];
int corner[n];

static void fill(int step) {
#pragma omp for
  for (int i = 0; i < n; ++i) parts[i] = (i + step) % 7;
}

int main(void) {
  for (int i = 0; i < n; ++i) corner[i] = n - 1 - i;
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel
    fill(step);
#pragma omp parallel for
    for (int i = 0; i < n; ++i) out[corner[i]] += parts[i];
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += out[i] * (i % 3);
  printf("%g\n", sum);
}
