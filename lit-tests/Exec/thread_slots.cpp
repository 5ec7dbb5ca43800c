// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions in which each thread keeps what it has found in an element of its own, which the program puts together behind
// the region: reductions by hand. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=none -fplugin-arg-muster-summary %s -o %t.muster 2>&1 \
// RUN:   | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_CACHE_DIR=%t.cache %t.muster | diff %t.expected -
// CHECK: remark: loops: 6 for all devices, 0 for CPUs only, 1 plain OpenMP
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Domain {
  double limit = 1e20;
#pragma ompx managed(speed, area, volume)
  std::vector<double> speed, area, volume;
};

// As LULESH looks for its time step.
static void courant(Domain &domain, int length, double qqc, double &dtcourant) {
  const int threads = omp_get_max_threads();
  int element_per_thread[threads];
  double dt_per_thread[threads];
#pragma omp parallel firstprivate(length, qqc)
  {
    double qqc2 = 64.0 * qqc * qqc;
    double dt_tmp = dtcourant;
    int element = -1;
    int thread_num = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < length; ++i) {
      double dtf = domain.speed[i] * domain.speed[i];
      if (domain.volume[i] < 0.0) dtf = dtf + qqc2 * domain.area[i] * domain.area[i];
      dtf = domain.area[i] / std::sqrt(dtf);
      if (domain.volume[i] != 0.0) {
        if (dtf < dt_tmp) {
          dt_tmp = dtf;
          element = i;
        }
      }
    }
    dt_per_thread[thread_num] = dt_tmp;
    element_per_thread[thread_num] = element;
  }
  for (int i = 1; i < threads; ++i) {
    if (dt_per_thread[i] < dt_per_thread[0]) {
      dt_per_thread[0] = dt_per_thread[i];
      element_per_thread[0] = element_per_thread[i];
    }
  }
  if (element_per_thread[0] != -1) dtcourant = dt_per_thread[0];
  std::printf("courant %d %.12g\n", element_per_thread[0], dt_per_thread[0]);
}

// Sums and counts, elements apart from each other, a number that is assigned, and an array that the loop writes.
static void sums(std::vector<double> &a, std::vector<int> &marks, int n) {
  int number;
  long count[64 * 8], total = 0;
  double sum[64];
  for (int i = 0; i < 64; ++i) sum[i] = 0.5;
  int marked = marks[3];
#pragma omp parallel private(number) num_threads(5)
  {
    long mine = 0;
    double own = marked + 0.25;
    number = omp_get_thread_num();
#pragma omp for schedule(dynamic, 16) nowait
    for (int i = 0; i < n; ++i) {
      if (a[i] > 0) ++mine;
    }
#pragma omp for
    for (int i = 0; i < n; ++i) {
      own += i % 7;
      marks[i] = i % 11 + 1;
    }
    if (own > 1) {
      count[number * 8] = mine;
    } else {
      count[8 * number] = mine;
    }
    sum[omp_get_thread_num()] += own;
  }
  double all = 0;
  for (int i = 0; i < 5; ++i) total += count[8 * i], all += sum[i] - marked;
  std::printf("sums %ld %.12g %d\n", total, all, marks[3]);
}

// In templates, and in a time loop, where each step goes on from the last one.
template <class T>
static T largest(const std::vector<T> &values, int n) {
  T best[64];
  const int threads = omp_get_max_threads();
  T found = -1;
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel
    {
      T mine = found;
#pragma omp for
      for (int i = 0; i < n; ++i) {
        const T value = values[i] * (step + 1);
        if (value > mine) mine = value;
      }
      best[omp_get_thread_num()] = mine;
    }
    for (int t = 0; t < threads; ++t)
      if (best[t] > found) found = best[t];
  }
  return found;
}

// The loop reads an element by a name that an assignment gave it: the region keeps its team.
static double renamed(int n) {
  double best[64] = {0};
  const double &first = best[1] = 0;
#pragma omp parallel num_threads(3)
  {
    double mine = 0;
    best[omp_get_thread_num()] = 5;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) mine += first;
    best[omp_get_thread_num()] = mine;
  }
  return best[0] + best[1] + best[2];
}

int main() {
  const int n = 10007;
  Domain domain;
  domain.speed.resize(n), domain.area.resize(n), domain.volume.resize(n);
#pragma ompx managed(marks)
  std::vector<int> marks(n, 2);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    domain.speed[i] = 1 + 0.001 * (i * 37 % 1009);
    domain.area[i] = 0.1 + 0.002 * (i * 53 % 997);
    domain.volume[i] = i % 5 - 2;
  }
  double dt = 1e20;
  courant(domain, n, 0.3, dt);
  courant(domain, 0, 0.3, dt);
  std::printf("dt %.12g\n", dt);
  sums(domain.volume, marks, n);
  std::printf("renamed %g\n", renamed(n));
  std::printf("largest %.12g %d\n", largest(domain.speed, n), largest(marks, n));
}
