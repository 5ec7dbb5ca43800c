// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions whose threads call functions of other units one after the other: what these add to, they add to once for each
// thread. Such regions keep their teams; others are run by one thread.
//
// RUN: %plain -O1 -w -c %S/Inputs/unit_protected_other.cpp -o %t.o && %plain -O1 -w %s %t.o -o %t.plain
// RUN: env OMP_NUM_THREADS=3 %t.plain > %t.expected
// RUN: %muster++ -O1 -w -c %S/Inputs/unit_protected_other.cpp -o %t.other.o && %muster-link -O1 -w %s %t.other.o -o %t.muster
// RUN: %run OMP_NUM_THREADS=3 MUSTER_INFO=1 %t.muster 2> %t.info | diff %t.expected - && FileCheck %s < %t.info
// RUN: %run OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
#include <omp.h>

#include <cstdio>
#include <mutex>

extern int counted, times;
extern double largest;
void count();
void add(double *total, double x);
void keep(double x);
void log();
void countSafely();
void countElsewhere();
void countThere() { counted += 1000; }
static void logSafely() {
#pragma omp critical
  log();
}

int main() {
  const int n = 1000;
  double total = 0;
  std::mutex mutex;
#pragma ompx managed(a)
  double *a = new double[n];
  for (int i = 0; i < n; ++i) a[i] = 1;
// CHECK-DAG: unit_protected.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'count()' with other threads kept away, which adds to something once for each of them
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 2;
#pragma omp critical
    count();
  }
// CHECK-DAG: unit_protected.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'add(double*, double)' with other threads kept away, which adds to something once for each of them
#pragma omp parallel
  {
    double mine = 1;
#pragma omp for
    for (int i = 0; i < n; ++i) mine += a[i];
#pragma omp critical
    add(&total, mine);
  }
// CHECK-DAG: unit_protected.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'log()' with other threads kept away, which adds to something once for each of them
#pragma omp parallel
  {
    logSafely();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
// CHECK-DAG: unit_protected.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'count()' with other threads kept away, which adds to something once for each of them
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
    mutex.lock();
    count();
    mutex.unlock();
  }
// CHECK-DAG: unit_protected.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'countSafely()', which {{.*}}
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
    countSafely();
  }
// CHECK-DAG: unit_protected.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'countElsewhere()', which calls functions of other files with other threads kept away
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
    countElsewhere();
  }
// The same in this unit:
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
    mutex.lock();
    counted += 100;
    mutex.unlock();
  }
// What keeps the largest is the same for any number of threads, and what one thread calls is called once.
// CHECK-DAG: unit_protected.cpp:[[#@LINE+3]] ({{.*}}): 1 launch,
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 0.5;
#pragma omp critical
    keep(a[7]);
  }
// CHECK-DAG: unit_protected.cpp:[[#@LINE+3]] ({{.*}}): 1 launch,
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 0.5;
#pragma omp single
    {
#pragma omp critical
      count();
    }
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  std::printf("%d %d %g %g %g\n", counted, times, total, largest, sum);
}
