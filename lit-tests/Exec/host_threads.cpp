// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host threads and parallel regions without worksharing loops that read and write managed arrays between launches, each
// a part of its own and of odd size, so that pages are shared. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=5,3 \
// RUN:   mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 %t.muster \
// RUN:   | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,2,4 \
// RUN:   mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t.muster \
// RUN:   | diff %t.expected -
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

#include "Inputs/wild_report.h"

static const int parts = 5;
static int cut(int n, int part) { return (int)((long)n * part / parts); }

// One thread for each part.
template <class Work>
static void inThreads(int n, Work work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < parts; ++t) threads.emplace_back([=] { work(cut(n, t), cut(n, t + 1)); });
  for (std::thread& thread : threads) thread.join();
}

int main() {
  const int n = 100003;
#pragma ompx managed(a)
  double* a = new double[n];
#pragma ompx managed(b)
  double* b = new double[n];
  inThreads(n, [=](int lo, int hi) {
    for (int i = lo; i < hi; ++i) a[i] = i % 101, b[i] = 0;
  });
  double total = 0;
  for (int step = 0; step < 4; ++step) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) b[i] = 0.5 * (a[i - 1] + a[i + 1]) + step;
    // Read what the launch wrote, and write what the next one reads, in threads.
    inThreads(n, [=](int lo, int hi) {
      for (int i = lo; i < hi; ++i) a[i] = b[i] + 1;
    });
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] *= 1.25;
    // The same by the program's own team; several arrays, blocks from the end.
    double sums[parts] = {};
#pragma omp parallel num_threads(3)
    {
      const int threads = omp_get_num_threads(), me = omp_get_thread_num();
      for (int part = me; part < parts; part += threads) {
        for (int i = cut(n, part + 1) - 1; i >= cut(n, part); --i) {
          sums[part] += a[i];
          b[i] = a[i] - b[i];
        }
      }
#pragma omp barrier
#pragma omp single
      std::rotate(b, b + 1000, b + 5000);
    }
    total += std::accumulate(sums, sums + parts, 0.0);
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = 0.5 * a[i] + b[i] * 0.25;
  }
  // One thread only reads while another one writes elsewhere in the same array, after a launch.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = a[i] - 3;
  double read = 0;
  std::thread reader([&] {
    for (int i = 0; i < n / 2; ++i) read += b[i];
  });
  std::thread writer([=] {
    for (int i = n - 1; i >= n / 2; --i) b[i] = -b[i];
  });
  reader.join();
  writer.join();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += b[i];
  printf("%.12g %.12g\n", total, read);
  report("a", a, n);
  report("b", b, n);
  delete[] a;
  delete[] b;
}
