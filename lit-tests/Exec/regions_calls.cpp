// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions whose functions stand in another file, use the thread number there, wait for the team, or keep values for
// each thread: they keep their teams, most of them by what the other file says when the program runs. One whose
// functions are harmless is run by one thread.
//
// RUN: %plain -w %s %S/Inputs/regions_calls_other.cpp -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s %S/Inputs/regions_calls_other.cpp -o %t.muster
// RUN: %plain -O1 -w -c %S/Inputs/regions_calls_other.cpp -o %t.other.o && %muster-link -O1 -w %s %t.other.o -o %t.unknown
// RUN: %run timeout 60 %t.unknown | diff %t.expected -
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-summary %s 2>&1 | FileCheck %s
// CHECK: loops: 4 for all devices, 0 for CPUs only, 2 plain OpenMP
#include <omp.h>

#include <algorithm>
#include <cstdio>

int otherNumber();
void otherWait(int threads);
int otherCount();
__attribute__((const)) int otherSum(int a, int b);
extern int (*otherPointer)();

static double sum(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i];
  return s;
}

static void part(double *a, int n, int thread, int threads) {
  for (int i = thread * n / threads; i < (thread + 1) * n / threads; ++i) a[i] = i;
}

int main() {
  const int n = 1000, threads = 2;
  omp_set_dynamic(0);
#pragma ompx managed(a, b)
  double *a = new double[n](), *b = new double[n]();
#pragma omp parallel num_threads(threads)
  {
    part(a, n, otherNumber(), threads);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = a[i];
  }
  std::printf("%g\n", sum(b, n));
#pragma omp parallel num_threads(threads)
  {
    otherWait(threads);
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
  }
  std::printf("%g\n", sum(b, n));
  int counted[threads] = {};
#pragma omp parallel num_threads(threads)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 3 * a[i];
#pragma omp critical
    counted[otherCount() - 1]++;
  }
  std::printf("%g %d %d\n", sum(b, n), counted[0], counted[1]);
  std::fill(a, a + n, 0);
#pragma omp parallel num_threads(threads)
  {
    part(a, n, otherPointer(), threads);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 4 * a[i];
  }
  std::printf("%g\n", sum(b, n));
  struct Threads {
    int number;
    Threads() : number(otherNumber()) {}
  };
  std::fill(a, a + n, 0);
#pragma omp parallel num_threads(threads)
  {
    Threads own;
    part(a, n, own.number, threads);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = 5 * a[i];
  }
  std::printf("%g\n", sum(b, n));
#pragma omp parallel num_threads(threads)
  {
    const int factor = otherSum(2, 4);
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = factor * a[i];
  }
  std::printf("%g\n", sum(b, n));
  delete[] a;
  delete[] b;
}
