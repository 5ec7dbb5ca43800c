// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that another unit computes from the number of threads. Loops see them in memory only, or decide by them what to
// do. The plain program is the oracle.
//
// RUN: %plain -O1 -w -c %S/Inputs/thread_parts_other.cpp -o %t.plain.o
// RUN: %plain -O1 -w %s %t.plain.o -o %t.plain && %run OMP_NUM_THREADS=3 %t.plain > %t.expected
// RUN: %muster++ -O1 -w -c %S/Inputs/thread_parts_other.cpp -o %t.o
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s %t.o -o %t
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2> %t.report | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: FileCheck %s < %t.report
// RUN: FileCheck %s --check-prefix=SHOWN < %t.report
#include "Inputs/loop_report.h"

int widthOf(int n);
void nameOwners(int* owner, int n);
void markFirst(int* mark, int n);

static const int n = 7200, most = 64;
static double *a, *b, *parts;
static int *owner, *mark;

static void begin() {
  for (int i = 0; i < n; ++i) a[i] = (i * 37 % 101) / 7.0;
  for (int i = 0; i < most; ++i) parts[i] = 0;
}

// With two names for one array, which begin at one element: each iteration has its own.
__attribute__((noinline)) static void combine(double* to, const double* x, double factor, const double* y) {
// SHOWN-NOT: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for
  for (int i = 0; i < n; ++i) to[i] = x[i] * factor + y[i];
}

__attribute__((noinline)) static void mirror(double* to, const double* x) {
// CHECK-DAG: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 0; i < n / 2; ++i) to[i] = x[n - 1 - i] / 2;
}

static void carried() {
// CHECK-DAG: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part of them that each thread gets
#pragma omp parallel for
  for (int i = 0; i < n; ++i) parts[owner[i]] = a[i] - parts[owner[i]] / 3;
  report("owners", parts, most);
// CHECK-DAG: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for schedule(static)
  for (int i = 1; i < n; ++i)
    if (owner[i] == owner[i - 1]) a[i] += a[i - 1] / 2;
  report("compared", a, n);
  const int width = widthOf(n);
// CHECK-DAG: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % width) a[i] += a[i - 1] / 2;
  report("width", a, n);
// CHECK-DAG: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (!mark[i]) a[i] += a[i - 1] / 2;
  report("marks", a, n);
  double sum = 0;
#pragma omp parallel for private(sum)
  for (int i = 0; i < n; ++i) {
    if (mark[i]) sum = 0;
    b[i] = sum += a[i] / 3;
  }
  report("private", b, n);
  double* behind = a + 1;
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i)
    if (!mark[i + 1]) behind[i] = a[i] / 2 + i % 3;
  report("two names", a, n);
  mirror(a, a);
  report("mirrored", a, n);
}

// None of these.
static void independent() {
  combine(a, a, 0.5, b);
  combine(b, a, 0.25, b);
  combine(a, a, 0.125, a);
// SHOWN-NOT: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + owner[i];
// SHOWN-NOT: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) b[owner[i] * 0 + n - 1 - i] = a[i];
// SHOWN-NOT: thread_parts_units.cpp:[[#@LINE+1]]: this loop runs
#pragma omp parallel for order(concurrent)
  for (int i = 0; i < n; ++i) b[owner[i] * 0 + i] = a[i];
  report("independent", a, n);
  report("independent", b, n);
}

int main() {
#pragma ompx managed(a)
  a = new double[n];
#pragma ompx managed(b)
  b = new double[n];
#pragma ompx managed(parts)
  parts = new double[most];
#pragma ompx managed(owner)
  owner = new int[n]();
#pragma ompx managed(mark)
  mark = new int[n]();
  nameOwners(owner, n);
  markFirst(mark, n);
  begin();
  carried();
  independent();
  delete[] a;
  delete[] b;
  delete[] parts;
  delete[] owner;
  delete[] mark;
}
