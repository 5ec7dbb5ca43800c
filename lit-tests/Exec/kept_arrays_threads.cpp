// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several threads make, fill, hand on and free arrays at a time, which are kept for one another; and memory that is kept
// is given up where there is none for something else.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,2 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 \
// RUN:   | FileCheck %s
// CHECK: {{^}}    a ({{.*}}): {{.*}} in 160 allocations, {{1[0-9][0-9]}} of them in freed arrays
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex handed;
static std::vector<int *> ownerless;

static void work(int thread, long *sum) {
  for (int round = 0; round < 40; ++round) {
    const int n = 1000 + round % 3 * 7000;
#pragma ompx managed(a)
    int *a = new int[n];
    if (round % 4 == thread)
      for (int i = 0; i < n; ++i) a[i] = -i;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = i * (thread + 1) + round;
#pragma omp parallel for
    for (int i = n / 2; i < n; ++i) a[i] += 1;
    *sum += a[0] + a[n / 2 - 1] + a[n / 2] + a[n - 1];
    const std::lock_guard lock(handed);
    ownerless.push_back(a);
    if (ownerless.size() <= 5) continue;
    delete[] ownerless.front();  // somebody else's, from before
    ownerless.erase(ownerless.begin());
  }
}

static long addressSpace() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages;
  return pages * 4096;
}

// Beside the first array there is no room for the second one.
static bool inTheRoomOfAnother() {
  const long n = 6l << 20, m = 9l << 20;
#pragma ompx managed(first)
  double *first = new double[n];
#pragma omp parallel for
  for (long i = 0; i < n; ++i) first[i] = i;
  bool right = first[n - 1] == n - 1;
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  const rlimit less{static_cast<rlim_t>(addressSpace() + (30l << 20)), limit.rlim_max};
  delete[] first;
  setrlimit(RLIMIT_AS, &less);
#pragma ompx managed(second)
  double *second = (double *)std::malloc(m * sizeof(double));
  setrlimit(RLIMIT_AS, &limit);
  if (second == nullptr) return false;
#pragma omp parallel for
  for (long i = 0; i < m; ++i) second[i] = 2 * i;
  right = right && second[m - 1] == 2 * (m - 1);
  std::free(second);
  return right;
}

int main() {
  long sums[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t, &sums[t]);
  for (std::thread &thread : threads) thread.join();
  for (int *a : ownerless) delete[] a;
  std::printf("%ld %ld %ld %ld\n", sums[0], sums[1], sums[2], sums[3]);
  std::printf("%d\n", inTheRoomOfAnother());
}
