// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that do more with the thread's number than to keep what a thread has found stay with their teams. In each
// function one line keeps it; the first one has none such.
//
// RUN: %muster++ -w -fsyntax-only %s -fplugin-arg-muster-remarks=all 2>&1 | FileCheck %s
#include <omp.h>

#pragma omp managed(a, b)
double a[1000], b[1000];
double global;
double use(double *values);

// CHECK: thread_slots.cpp:[[#@LINE+7]]:1: remark: loop is outlined as 'muster_served_{{.*}} for all devices
double served(int n) {
  double best[64];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    double mine = global;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    best[me + 1] = mine;
  }
  return best[1];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// Which thread has which iterations.
double withSchedule(int n) {
  double best[64];
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) mine += a[i];
    best[omp_get_thread_num()] = mine;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// Elements are read by the region, and by other threads.
double reads(int n) {
  double best[64];
#pragma omp parallel
  {
    double mine = 0;
    best[omp_get_thread_num()] = 1;
#pragma omp barrier
    mine = best[0];
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    best[omp_get_thread_num()] = mine;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// The elements have another name.
double given(int n) {
  double best[64];
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    best[omp_get_thread_num()] = mine;
  }
  return use(best);
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// What the pointer leads to may be what the loop reads.
double onHeap(int n) {
  double *best = new double[64];
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    best[omp_get_thread_num()] = mine;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// A value by the number.
double seeds(int n) {
  double best[64];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    double mine = me;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    best[me] = mine;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// The loop asks.
double inLoop(int n) {
  double best[64];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i], b[i] = me;
    best[me] = mine;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// Behind the loop, threads read what it may have written.
double readsBehind(int n) {
  double best[64];
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i], b[i] = 1;
    best[omp_get_thread_num()] = mine + b[3];
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// All threads write the same.
double writes(int n) {
  double best[64];
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    best[omp_get_thread_num()] = mine;
    global = 1;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// The names of all variables are listed.
double listed(int n) {
  double best[64];
#pragma omp parallel default(none) shared(best, a, n)
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
    best[omp_get_thread_num()] = mine;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+4]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// A loop that stays plain.
double stays(int n) {
  double best[64];
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
#pragma omp for
    for (int i = 0; i < n; ++i) use(&b[i]);
    best[omp_get_thread_num()] = mine;
  }
  return best[0];
}
// CHECK: thread_slots.cpp:[[#@LINE+5]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num'
// An assignment is another name of the element.
double alsoNamed(int n) {
  double best[64];
  const double *other = &(best[1] = 0);
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += *other;
    best[omp_get_thread_num()] = mine;
  }
  return best[0];
}
