// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program has its kernels built by a process beside it before a trial of all devices. A helper of the test's own stands
// beside a copy of libmuster.so: it keeps what it is asked for.
//
// RUN: %muster-link -O1 -fplugin-arg-muster-strict %s -o %t
// RUN: %plain -w %s -o %t.plain && %t.plain 1 > %t.expected
// RUN: rm -rf %t.lib %t.cache && mkdir -p %t.lib/muster && cp %libraries/libmuster.so.1 %t.lib
//
// One that builds the first kernel, and no other one before the program ends. The next run asks for the rest.
// RUN: printf '#!/bin/sh\nhead -n 2 > %t.asked\nprintf .\nexec sleep 30\n' > %t.lib/muster/muster-kernels && chmod +x %t.lib/muster/muster-kernels
// RUN: %run LD_LIBRARY_PATH=%t.lib MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_TUNE_LOG=%t.log MUSTER_INFO=1 %t 4 %t.asked "" 2> %t.err | diff %t.expected -
// RUN: FileCheck %s --check-prefix=BEGIN < %t.err
// BEGIN: muster: 1 of 3 kernels were built beside the program
// RUN: FileCheck %s --check-prefix=LOG < %t.log
// LOG: kernels_beside.cpp:{{.*}}build kernels for a trial
// RUN: rm %t.asked
// RUN: %run LD_LIBRARY_PATH=%t.lib MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_INFO=1 %t 4 %t.asked "" 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: muster: 1 of 2 kernels were built beside the program
//
// One that ends at once: a trial of all devices, which build themselves what is not there.
// RUN: rm -rf %t.cache && printf '#!/bin/sh\nhead -n 2 > %t.asked\n' > %t.lib/muster/muster-kernels
// RUN: %run LD_LIBRARY_PATH=%t.lib MUSTER_CACHE_DIR=%t.cache MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto MUSTER_TUNE_LOG=%t.log MUSTER_INFO=1 %t 8 %t.err "all devices are open" 2> %t.err | diff %t.expected -
// RUN: FileCheck %s --check-prefix=TRIAL < %t.err
// TRIAL: muster: 3 of 3 kernels were built beside the program
// TRIAL: muster: all devices are open
// RUN: FileCheck %s --check-prefix=TRIED < %t.log
// TRIED: try {{.*}}it is known what rank 0's CPU takes
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

static bool has(const char *path, const char *text) {
  std::ifstream file(path);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  return !all.empty() && all.find(text) != std::string::npos;
}

// For so many seconds, and until a file has a text, which on a busy machine takes longer.
int main(int, char **arguments) {
  const int n = 200000;
#pragma ompx managed(u, v)
  std::vector<double> u(n, 1.0), v(n);
  double end = now() + atof(arguments[1]);
  const double last = end + 100;
  while (now() < end) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      double x = i;
      for (int k = 0; k < 20; ++k) x = x * 0.999 + 1.0 / (1.0 + k);
      v[i] = x;
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] = v[n - 1 - i] + 1;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) v[i] = 0.5 * u[i];
    if (arguments[2] && now() < last && !has(arguments[2], arguments[3])) end = std::max(end, now() + 1);
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += v[i];
  std::printf("%.10g\n", sum);
}
