// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of several iterations, which one thread runs in their order: what one iteration leaves for the next one of its
// chunk is legal. Loops whose iterations show independent are distributed all the same. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %muster-link -O2 -w %s -o %t.vectors && %run MUSTER_DEVICES=cpu %t.vectors | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2> %t.report | diff %t.expected -
// RUN: FileCheck %s < %t.report
// RUN: FileCheck %s --check-prefix=SHOWN < %t.report
// SHOWN-NOT: serial_chunks.cpp:{{(11[89]|1[2-5][0-9])}}: this loop runs
#include <omp.h>

#include "Inputs/loop_report.h"

static const int n = 4000;
static double *a, *b;
static int *c, *place;

static void begin() {
  for (int i = 0; i < n; ++i) {
    a[i] = (i * 37 % 101) / 7.0;
    b[i] = 0;
    c[i] = i % 17;
    place[i] = i / 8;
  }
}

static void elements(int chunk) {
  begin();
// CHECK-DAG: serial_chunks.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the chunks of its schedule
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < n; ++i) b[i / 8] += a[i];
  report("quotient", b, n);
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < n; ++i)
    if (i % 8) a[i] += a[i - 1];
  report("before", a, n);
// CHECK-DAG: serial_chunks.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the chunks of its schedule
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = 0; i < n; ++i)
    if (i % chunk != 0) c[i] = c[i] * 3 + c[i - 1];
  report("variable", c, n);
#pragma omp parallel for schedule(monotonic : dynamic, 16)
  for (int i = 0; i < n; ++i) b[place[i]] = b[place[i]] / 2 + a[i];
  report("indirect", b, n);
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < n; ++i) b[place[i]] = a[i];
  report("last of several", b, n);
#pragma omp parallel for collapse(2) schedule(static, 40)
  for (int i = 0; i < n / 40; ++i)
    for (int j = 0; j < 40; ++j)
      if (j) a[i * 40 + j] += a[i * 40 + j - 1] / 2;
  report("collapse", a, n);
#pragma omp parallel
  {
#pragma omp for schedule(static, 16)
    for (int i = 0; i < n; ++i)
      if (i % 16) c[i] ^= c[i - 1] << 1;
  }
  report("region", c, n);
  double* behind = a + 1;
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < n - 1; ++i)
    if (i % 8 < 7) behind[i] = a[i] / 2 + i % 3;
  report("two names", a, n);
  omp_set_schedule(omp_sched_static, 8);
// CHECK-DAG: serial_chunks.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: its iterations may give each other values within the chunks of its schedule
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i)
    if (i % 8) a[i] += a[i - 1];
  report("runtime", a, n);
}

static void variables() {
  begin();
  double sum = 0, total = 0, before = 0;
#pragma omp parallel for schedule(static, 8) private(sum)
  for (int i = 0; i < n; ++i) {
    if (i % 8 == 0) sum = 0;
    b[i] = sum += a[i];
  }
  report("private", b, n);
#pragma omp parallel for schedule(static, 8) lastprivate(sum)
  for (int i = 0; i < n; ++i) {
    if (i % 8 == 0) sum = 0;
    b[i] = sum += a[i] / 2;
  }
  report("lastprivate", b, n);
  report("last", sum);
// Not its last value: clang 19 loses that of dynamic schedules now and then.
#pragma omp parallel for schedule(dynamic, 16) lastprivate(sum)
  for (int i = 0; i < n; ++i) {
    if (i % 16 == 0) sum = 1;
    b[i] = sum += a[i] / 4;
  }
  report("dynamic lastprivate", b, n);
#pragma omp parallel for schedule(runtime) lastprivate(sum)
  for (int i = 0; i < n; ++i) {
    if (i % 8 == 0) sum = 1;
    b[i] = sum += a[i] / 5;
  }
  report("runtime lastprivate", b, n);
  report("last", sum);
#pragma omp parallel for schedule(static, 8) reduction(+ : total) firstprivate(before)
  for (int i = 0; i < n; ++i) {
    const int change = i % 8 ? c[i] - before : 0;
    before = c[i];
    total += change;
  }
  report("total", total);
}

// None of these.
static void independent(int chunk) {
  begin();
#pragma omp parallel for schedule(static, 8)
  for (int i = 0; i < n; ++i) a[i] = a[i] * 2 + b[i];
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 1; i < n; ++i) b[i] = a[i - 1];
#pragma omp parallel for schedule(dynamic, chunk) order(concurrent)
  for (int i = 0; i < n; ++i) b[n - 1 - place[i] * 8 - i % 8] = a[i];
#pragma omp parallel for schedule(dynamic, chunk / 8)
  for (int i = 0; i < n; ++i) b[place[i] * 8 + i % 8] = a[i];
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) b[place[i] * 8 + i % 8] = a[i];
#pragma omp parallel for schedule(guided, 4)
  for (int i = 0; i < n; ++i) b[place[i] * 8 + i % 8] = a[i];
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < n; ++i)
#pragma omp atomic
    c[place[i]] += i;
#pragma omp parallel for schedule(dynamic, 2)
  for (int i = 0; i < n / 40; ++i)
    for (int j = 0; j < 40; ++j) a[i * 40 + j] += j;
  report("independent", a, n);
  report("independent", b, n);
  report("independent", c, n);
}

int main(int argc, char**) {
#pragma ompx managed(a)
  a = new double[n];
#pragma ompx managed(b)
  b = new double[n];
#pragma ompx managed(c)
  c = new int[n];
#pragma ompx managed(place)
  place = new int[n];
  elements(argc * 8);
  variables();
  independent(argc * 8);
  delete[] a;
  delete[] b;
  delete[] c;
  delete[] place;
}
