// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that the program computes from its number of threads, one for each thread: a static schedule gives no two
// threads iterations of one part, so that iterations may give each other values. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t
// RUN: %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_TUNE=auto %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2> %t.report | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: FileCheck %s < %t.report
// RUN: FileCheck %s --check-prefix=SHOWN < %t.report
// SHOWN-NOT: thread_parts.cpp:{{1(5[89]|6[0-9]|7[0-9]|80)}}: this loop runs
#include <omp.h>

#include "Inputs/loop_report.h"

static const int n = 7200, most = 64;
static double *a, *b;
static double* parts;
static int *owner, *place, *first, *second;

static void begin() {
  for (int i = 0; i < n; ++i) {
    a[i] = (i * 37 % 101) / 7.0;
    b[i] = 0;
    place[i] = i / 8;
  }
  for (int i = 0; i < most; ++i) parts[i] = 0;
}

struct Layout {
  int threads, width;
};
static Layout layout;

static int widthOf(int threads) { return n / threads; }

static void sum(int count) {
// CHECK-DAG: thread_parts.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part of them that each thread gets
#pragma omp parallel for
  for (int i = 0; i < n; ++i) parts[i / (n / count)] += a[i];
  report("parameter", parts, most);
}

static void sums() {
  begin();
  const int threads = omp_get_max_threads();
// CHECK-DAG: thread_parts.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 0; i < n; ++i) parts[i / (n / threads)] += a[i];
  report("divided", parts, most);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) parts[i * threads / n] = parts[i * threads / n] / 2 + a[i];
  report("multiplied", parts, most);
  sum(threads);
  layout = {threads, widthOf(threads)};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) parts[i / layout.width] = a[i] - parts[i / layout.width];
  report("member", parts, most);
  for (int i = 0; i < n; ++i) owner[i] = i / widthOf(threads);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) parts[owner[i]] = a[i] - parts[owner[i]] / 3;
  report("owners", parts, most);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n / 12; ++i)
    for (int j = 0; j < 12; ++j) parts[(i * 12 + j) / (n / threads)] += a[i * 12 + j] / 5;
  report("collapse", parts, most);
  omp_set_schedule(omp_sched_static, 0);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) parts[i / (n / threads)] = a[i] - parts[i / (n / threads)];
  report("runtime", parts, most);
#pragma omp parallel
  {
    const int team = omp_get_num_threads();
#pragma omp for
    for (int i = 0; i < n; ++i) parts[i / (n / team)] += a[i] / 9;
  }
  report("region", parts, most);
#pragma omp parallel num_threads(2)
  {
    const int team = omp_get_num_threads();
#pragma omp for
    for (int i = 0; i < n; ++i) parts[i / (n / team)] = a[i] / 9 - parts[i / (n / team)];
  }
  report("region of two", parts, most);
}

static void carried(int wanted) {
  begin();
  const int width = n / omp_get_max_threads();
// CHECK-DAG: thread_parts.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % width) a[i] += a[i - 1];
  report("before", a, n);
  double sum = 0;
// CHECK-DAG: thread_parts.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for private(sum)
  for (int i = 0; i < n; ++i) {
    if (i % width == 0) sum = 0;
    b[i] = sum += a[i] / 2;
  }
  report("private", b, n);
#pragma omp parallel for lastprivate(sum)
  for (int i = 0; i < n; ++i) {
    if (i % width == 0) sum = 0;
    b[i] = sum += a[i] / 3;
  }
  report("lastprivate", b, n);
  report("last", sum);
  // Marks where parts begin.
  for (int i = 0; i < n; ++i) first[i] = i % width == 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (!first[i]) a[i] += a[i - 1] / 2;
  report("marks", a, n);
  for (int i = 0; i < n; ++i)
    if (i % width == 0) second[i] = 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (!second[i]) a[i] += a[i - 1] / 3;
  report("conditions", a, n);
  double* behind = a + 1;
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i)
    if (i % width < width - 1) behind[i] = a[i] / 2 + i % 3;
  report("two names", a, n);
  // The program says how many threads it wants.
  const int asked = wanted;
#pragma omp parallel for num_threads(wanted)
  for (int i = 0; i < n; ++i) b[i / (n / asked)] += a[i];
  report("asked", b, n);
  omp_set_num_threads(asked);
// CHECK-DAG: thread_parts.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i / (n / wanted)] += a[i] / 7;
  report("set", b, n);
}

// Nothing says what the number is, or that it is one of threads.
__attribute__((noinline)) static void numbers(int width, int number) {
// CHECK-DAG: thread_parts.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < n; ++i) parts[i / width] += a[i];
  report("width", parts, most);
// CHECK-DAG: thread_parts.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the part
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < n; ++i) parts[i * number / n] = a[i] - parts[i * number / n];
  report("number", parts, most);
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < n; ++i) parts[i / (n / 8)] += a[i];
  report("constants", parts, most);
}

// None of these.
static void independent(int chunk) {
  begin();
  const int threads = omp_get_max_threads(), width = n / threads;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + i / width;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[n - 1 - place[i] * 8 - i % 8] = a[i];
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i % 2 == 0) b[i / 2] = a[i];
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) b[place[i] * 8 + i % 8] = a[i] + width;
#pragma omp parallel for order(concurrent)
  for (int i = 0; i < n; ++i) b[place[i] * 8 + i % 8] = a[i] - width;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
#pragma omp atomic
    parts[i / width] += i;
  report("independent", a, n);
  report("independent", b, n);
  report("independent", parts, most);
}

int main(int argc, char**) {
#pragma ompx managed(a)
  a = new double[n];
#pragma ompx managed(b)
  b = new double[n];
#pragma ompx managed(parts)
  parts = new double[most];
#pragma ompx managed(owner)
  owner = new int[n];
#pragma ompx managed(place)
  place = new int[n];
#pragma ompx managed(first)
  first = new int[n];
#pragma ompx managed(second)
  second = new int[n]();
  sums();
  carried(argc + 3);
  numbers(n / (argc + 2), argc + 2);
  independent(argc * 8);
  delete[] a;
  delete[] b;
  delete[] parts;
  delete[] owner;
  delete[] place;
  delete[] first;
  delete[] second;
}
