// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether there are several threads is no part: loops that only ask for that run on all devices (LULESH). What is more
// than 1 for some iterations is one. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run OMP_NUM_THREADS=3 %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2> %t.report | diff %t.expected -
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: FileCheck %s < %t.report
// RUN: FileCheck %s --check-prefix=SHOWN < %t.report
// SHOWN-NOT: thread_parts_several.cpp:{{2[6-9]|3[0-9]}}: this loop runs
#include <omp.h>

#include "Inputs/loop_report.h"

static const int n = 7200, most = 64;
static double *a, *b, *parts;
static int *place, *mark, *turn;

// Each iteration has an element of its own.
static void several() {
  int threads = omp_get_max_threads();
  if (threads > 1)
    for (int i = 0; i < n; ++i) place[i] = i * 7 % n;
// Lines 26 to 39.
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (threads > 1)
      b[place[i]] = a[i] / 2;
    else
      b[i] = a[i] / 2;
#pragma omp parallel for firstprivate(threads)
  for (int i = 0; i < n; ++i)
    if (threads != 1) b[place[i]] /= 3;
  report("several", b, n);
}

static void parted() {
  const int width = n / omp_get_max_threads();
  for (int i = 0; i < n; ++i) {
    const int owner = i / width;
    if (owner > 1) mark[i] = 1;
  }
// CHECK-DAG: thread_parts_several.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part of them that each thread gets
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (mark[i]) parts[place[0] + 5] = parts[place[0] + 5] / 2 + a[i];
  report("marks", parts, most);
  int number = omp_get_max_threads();
  for (int i = 0; i < n; ++i) {
    number = i / width;
    if (number > 1) turn[i] = 1;
  }
// CHECK-DAG: thread_parts_several.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (turn[i]) parts[place[0] + 6] = parts[place[0] + 6] / 2 + a[i];
  report("another number", parts, most);
  int threads = omp_get_max_threads();
  int& name = threads;
  name = n / threads;
// CHECK-DAG: thread_parts_several.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    if (threads > 1 && i % width) a[i] += a[i - 1] / 2;
  report("by another name", a, n);
}

int main() {
#pragma ompx managed(a)
  a = new double[n];
#pragma ompx managed(b)
  b = new double[n]();
#pragma ompx managed(parts)
  parts = new double[most]();
#pragma ompx managed(place)
  place = new int[n]();
#pragma ompx managed(mark)
  mark = new int[n]();
#pragma ompx managed(turn)
  turn = new int[n]();
  for (int i = 0; i < n; ++i) a[i] = (i * 37 % 101) / 7.0;
  several();
  parted();
  delete[] a;
  delete[] b;
  delete[] parts;
  delete[] place;
  delete[] mark;
  delete[] turn;
}
