// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations OpenMP gives to one thread, in their order: what one of them leaves for the next is legal there.
// Those that show independent are distributed all the same. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// Clang vectorises:
// RUN: %muster-link -O2 -w %s -o %t.vectors && %run MUSTER_DEVICES=cpu %t.vectors | diff %t.expected -
// The environment's one thread is not the program's:
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2>&1 | FileCheck %s
#include <omp.h>

#include "Inputs/loop_report.h"

static const int n = 300;
static double* a;
static int calls;

static int once(int value) { return ++calls, value; }

static void begin() {
  for (int i = 0; i < n; ++i) a[i] = i % 10;
}

static void sums() {
// CHECK-DAG: serial_loops.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: it is not called by a parallel region
#pragma omp for
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
}

static void dynamic_sums() {
#pragma omp for schedule(dynamic)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
}

static void nested() {
// CHECK-DAG: serial_loops.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: it is nested in a parallel region
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
}

static void clauses(int threads, int chunk) {
  begin();
// CHECK-DAG: serial_loops.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its num_threads clause asks for one thread
#pragma omp parallel for num_threads(once(threads))
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("num_threads", a, n);
  begin();
// CHECK-DAG: serial_loops.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its `if` clause says so
#pragma omp parallel for if (once(n) > 1000) num_threads(4)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("if", a, n);
  begin();
// CHECK-DAG: serial_loops.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its schedule gives all iterations to one thread
#pragma omp parallel for schedule(static, chunk) num_threads(4)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("static", a, n);
  begin();
#pragma omp parallel for schedule(dynamic, n)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("dynamic", a, n);
  begin();
#pragma omp parallel for schedule(guided, 1000)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("guided", a, n);
  begin();
  omp_set_schedule(omp_sched_static, 1000);
#pragma omp parallel for schedule(runtime)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("runtime", a, n);
  begin();
#pragma omp parallel for collapse(2) schedule(static, 300)
  for (int i = 1; i < n / 10; ++i)
    for (int j = 0; j < 10; ++j) a[i * 10 + j] += a[i * 10 + j - 1];
  report("collapse", a, n);
  // The inner loop becomes a dimension, which the chunk does not count.
#pragma omp parallel for schedule(static, 50) num_threads(4)
  for (int i = 1; i < n / 10; ++i)
    for (int j = 0; j < 10; ++j) a[i * 10 + j] = a[i * 10 - 10 + j] / 2 + i;
  report("found dimension", a, n);
  double carried = 1;
#pragma omp parallel for num_threads(threads) firstprivate(carried)
  for (int i = 0; i < n; ++i) a[i] = carried += i % 7;
  report("firstprivate", a, n);
  // One thread's part of a sum is the sum so far.
  double sum = 1, most = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += i % 7;
    a[i] = sum;
  }
  report("sums so far", a, n);
#pragma omp parallel for num_threads(threads) reduction(max : most)
  for (int i = 0; i < n; ++i) {
    if (a[i] > most + 2) most = a[i];
  }
  report("sum", sum);
  report("leap", most);
  double *whole = a, *rest = a + 1;
#pragma omp parallel for num_threads(threads)
  for (int i = 0; i < n - 1; ++i) rest[i] = whole[i] + i % 3;
  report("two names", a, n);
#pragma omp target teams distribute parallel for thread_limit(threads)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1] / 2;
  report("thread_limit", a, n);
}

static void regions(int threads) {
  begin();
#pragma omp parallel num_threads(once(threads))
  {
// CHECK-DAG: serial_loops.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its parallel region has one thread
#pragma omp for
    for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  }
  report("region num_threads", a, n);
  begin();
#pragma omp parallel if (once(threads) > 3)
#pragma omp for
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("region if", a, n);
  begin();
#pragma omp parallel if (threads == 1) num_threads(3)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma omp single
    nested();
  }
  report("nested", a, n);
  begin();
#pragma omp parallel num_threads(threads)
  sums();
  sums();
  report("orphaned", a, n);
  begin();
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic)
    for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  }
  report("region dynamic", a, n);
  dynamic_sums();
  report("orphaned dynamic", a, n);
}

int main(int argc, char**) {
#pragma ompx managed(memory)
  double* memory = new double[n];
  a = memory;
  clauses(argc, 1000);
  regions(argc);
  begin();
#pragma omp parallel for num_threads(argc) schedule(static, 1000)
  for (int i = 0; i < n; ++i) a[i] = 2 * a[i];
  report("independent", a, n);
  begin();
  omp_set_num_threads(1);
// CHECK-DAG: serial_loops.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: omp_set_num_threads asks for one thread
#pragma omp parallel for
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("omp_set_num_threads", a, n);
  begin();
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  report("dynamic omp_set_num_threads", a, n);
  begin();
#pragma omp parallel
  {
#pragma omp for
    for (int i = 1; i < n; ++i) a[i] += a[i - 1];
  }
  report("region omp_set_num_threads", a, n);
  report("calls", calls);
  delete[] memory;
}
