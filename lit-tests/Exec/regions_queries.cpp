// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that ask for the thread's number only to have the first thread do something, and for the number of threads
// only to print or keep it: one thread runs them, and what they print is what the team would print.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
//
// What the number of a thread or of all threads decides on stays with the team.
// CHECK: remark: region stays {{.*}}: calls 'omp_get_thread_num', so that its result depends on the threads
// CHECK: remark: region stays {{.*}}: calls 'omp_get_thread_num', so that its result depends on the threads
// CHECK: remark: region stays {{.*}}: calls 'omp_get_thread_num', so that its result depends on the threads
// CHECK: remark: region stays {{.*}}: calls 'omp_get_thread_num', so that its result depends on the threads
// CHECK: remark: region stays {{.*}}: calls 'omp_get_thread_num', so that its result depends on the threads
// CHECK: remark: region stays {{.*}}: calls 'omp_get_num_threads', so that its result depends on the threads
// CHECK: remark: region stays {{.*}}: calls 'omp_get_num_threads', so that its result depends on the threads
// CHECK: remark: loops: 7 for all devices, 0 for CPUs only, 7 plain OpenMP
#include <omp.h>

#include <cstdio>
#include <iostream>

static void served(double *a, int n) {
  int threads = 0, tid;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) std::printf("%d threads\n", omp_get_num_threads());
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
  std::printf("%d\n", threads);
#pragma omp parallel private(tid) shared(threads)
  {
    tid = omp_get_thread_num();
    if (tid == 0) {
      threads = omp_get_num_threads();
      std::printf("first\n");
    }
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
  std::printf("%d\n", threads);
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] -= 1;
    if (!me) std::cout << "of " << omp_get_num_threads() << std::endl;
  }
#pragma omp parallel
  {
#pragma omp master
    {
      int all = omp_get_num_threads();
      std::printf("all %d\n", all);
    }
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 3;
  }
#pragma omp parallel
  for (int step = 0; step < 3; ++step) {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += step;
    if (step > 0 && omp_get_thread_num() == 0) std::printf("step %d\n", step);
  }
}

static void jumps(double *a, int n) {
  for (int k = 0; k < 2; ++k) {
#pragma omp parallel
    for (int step = 0; step < 3; ++step) {
      if (omp_get_thread_num() == 0) continue;
#pragma omp atomic
      a[0] += 0 * n;
    }
  }
#pragma omp parallel num_threads(2)
  {
    double left = 0;
    for (int step = 0; step < 3; ++step) {
      if (omp_get_thread_num() == 0) break;
      left += 1;
    }
#pragma omp critical
    a[1] += left;
#pragma omp for
    for (int i = 2; i < n; ++i) a[i] += 1;
  }
}

static void plain(double *a, int n, int *counts) {
  int threads = 1;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
    if (omp_get_thread_num() == 0)
      counts[0] = 1;
    else
      counts[1] = 1;
  }
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_num_threads();
#pragma omp single
    counts[2] = me * 3;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
    if (me == 0) counts[3] += 1;
    counts[4 + me] = 7;
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) {
      a[i] += 1;
      if (omp_get_thread_num() == 0) counts[6] += 1;
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    threads = omp_get_num_threads();
    if (threads > 1) {
#pragma omp critical
      counts[7] += 1;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
  int *alias = &threads;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp critical
    counts[8] += *alias;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
}

int main() {
  const int n = 1000;
#pragma ompx managed(a)
  double *a = new double[n]();
  int counts[9] = {};
  served(a, n);
  plain(a, n, counts);
  jumps(a, n);
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 5);
  std::printf("%g", s);
  for (int count : counts) std::printf(" %d", count);
  std::printf("\n");
  delete[] a;
}
