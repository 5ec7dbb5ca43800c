// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that ask for the number of threads and call functions of other units: run by one thread unless such a
// function does something for each thread. The plain program is the oracle.
//
// RUN: %plain -O1 -w -c %S/Inputs/unit_counts_other.cpp -o %t.o && %plain -O1 -w %s %t.o -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster++ -O1 -w -c %S/Inputs/unit_counts_other.cpp -o %t.other.o && %muster-link -O1 -w %s %t.other.o -o %t.muster
// RUN: %run MUSTER_INFO=1 %t.muster 2> %t.info | diff %t.expected - && FileCheck %s < %t.info
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster | diff %t.expected -
#include <omp.h>

#include <cstdio>

extern double total;
extern double most;
extern int seen;
void addEach(double x);
void keepMost(double x);
void fail(int wrong);
void keep(int threads);

int main() {
  const int n = 1000;
  int threads = 0, asked = 3;
#pragma ompx managed(a)
  double *a = new double[n];
// CHECK-DAG: unit_counts.cpp:[[#@LINE+9]] ({{.*}}): 1 launch,
#pragma omp parallel
  {
#pragma omp master
    {
      threads = omp_get_num_threads();
      keep(threads);
    }
    fail(threads > asked);
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = i;
  }
// CHECK-DAG: unit_counts.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'addEach(double)', which adds the same once for each thread of the team
#pragma omp parallel
  {
    addEach(1.0 / omp_get_num_threads());
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
// CHECK-DAG: unit_counts.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it asks for the number of threads and calls 'keepMost(double)', which does something for each of them
#pragma omp parallel
  {
    keepMost(7.0 * omp_get_num_threads());
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
// CHECK-DAG: unit_counts.cpp:[[#@LINE+1]]{{.*}} with its whole team, on rank 0's CPU: it calls 'addEach(double)', which adds the same once for each thread of the team
#pragma omp parallel
  {
    addEach(2);
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] *= 2;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  std::printf("%g %d %d %g %g\n", sum, threads, seen, total, most);
  delete[] a;
}
