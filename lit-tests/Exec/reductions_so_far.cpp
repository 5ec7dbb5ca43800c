// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread has of a reduction by an operator of the user's so far, and uses: legal where OpenMP gives all
// iterations to one thread. Loops that only combine are distributed. The plain program is the oracle.
//
// RUN: %plain -O1 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Werror -fplugin-arg-muster-strict %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2> %t.report | diff %t.expected -
// RUN: FileCheck %s < %t.report
#include "Inputs/loop_report.h"

static const int n = 1000;
static double *a, *b;

struct Sum {
  double sum;
  int count;
  void add(double value) { sum += value, ++count; }
  void add(const Sum& other) { sum += other.sum, count += other.count; }
};
static Sum operator+(const Sum& left, const Sum& right) { return {left.sum + right.sum, left.count + right.count}; }
static void put(Sum& into, double value) { into.add(value); }
static void put(Sum& into, const Sum& value) { into.add(value); }
#pragma omp declare reduction(plus : Sum : omp_out = omp_out + omp_in) initializer(omp_priv = Sum{0, 0})
#pragma omp declare reduction(adds : Sum : omp_out.add(omp_in)) initializer(omp_priv = Sum{0, 0})
#pragma omp declare reduction(puts : Sum : put(omp_out, omp_in)) initializer(omp_priv = Sum{0, 0})
#pragma omp declare reduction(sum : double : omp_out += omp_in) initializer(omp_priv = 0)

static void print(const char* name, const Sum& x) {
  report(name, x.sum);
  report(name, x.count);
}

static void soFar(int threads) {
  Sum x = {0, 0};
// CHECK-DAG: reductions_so_far.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its num_threads clause asks for one thread
#pragma omp parallel for reduction(plus : x) num_threads(threads)
  for (int i = 0; i < n; ++i) {
    x = x + Sum{a[i], 1};
    b[i] = x.sum;
  }
  print("operator", x);
  report("operator", b, n);
// CHECK-DAG: reductions_so_far.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its schedule gives all iterations to one thread
#pragma omp parallel for reduction(adds : x) schedule(static, 1000)
  for (int i = 0; i < n; ++i) {
    x.add(a[i]);
    b[i] = x.count;
  }
  print("method", x);
  report("method", b, n);
#pragma omp parallel for reduction(puts : x) num_threads(threads)
  for (int i = 0; i < n; ++i) {
    x.sum += a[i];
    b[i] = x.sum / ++x.count;
  }
  print("members", x);
  report("members", b, n);
#pragma omp parallel for reduction(puts : x) num_threads(threads)
  for (int i = 0; i < n; ++i) {
    if (x.count < 5020) x.sum += a[i];
    x.count++;
  }
  print("test", x);
#pragma omp parallel for reduction(puts : x) num_threads(threads)
  for (int i = 0; i < n; ++i) put(x, x.sum > 100 ? a[i] : 2 * a[i]);
  print("argument", x);
  double y = 0;
#pragma omp parallel for reduction(sum : y) num_threads(threads)
  for (int i = 0; i < n; ++i) b[i] = y += a[i];
  report("number", b, n);
}

static void combined(int threads) {
  Sum x = {0, 0};
  double y = 0;
// CHECK-NOT: reductions_so_far.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for reduction(plus : x) num_threads(threads)
  for (int i = 0; i < n; ++i) x = x + Sum{a[i], 1};
// CHECK-NOT: reductions_so_far.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for reduction(adds : x) num_threads(threads)
  for (int i = 0; i < n; ++i) x.add(a[i]);
// CHECK-NOT: reductions_so_far.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for reduction(puts : x) num_threads(threads)
  for (int i = 0; i < n; ++i) {
    const double value = a[i] * 2;
    if (value > 4) put(x, value);
  }
// CHECK-NOT: reductions_so_far.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for reduction(adds : x) reduction(sum : y) num_threads(threads)
  for (int i = 0; i < n; ++i) {
    x.sum += a[i];
    x.count += 1;
    y += a[i];
  }
// What a thread has so far is nothing that it may count on within a chunk.
// CHECK-NOT: reductions_so_far.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for reduction(adds : x) schedule(dynamic, 64)
  for (int i = 0; i < n; ++i) {
    if (x.count >= 0) x.add(a[i]);
  }
  print("combined", x);
  report("combined", y);
}

int main(int argc, char**) {
#pragma ompx managed(a)
  a = new double[n];
#pragma ompx managed(b)
  b = new double[n];
  fill(a, n);
  soFar(argc);
  combined(argc);
  delete[] a;
  delete[] b;
}
