// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device set changes while the program runs: same results as the plain program, the log says what was tried.
//
// RUN: %muster-link -O1 %s -o %t
// RUN: %plain -O1 -w %s -o %t.plain
// RUN: %t.plain > %t.expected
//
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_MIN_SHARE=0 MUSTER_TUNE=shrink MUSTER_TUNE_INTERVAL=2 MUSTER_TUNE_LOG=%t.log %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=ONE < %t.log
//
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_MIN_SHARE=0 MUSTER_TUNE=shrink MUSTER_TUNE_INTERVAL=2 MUSTER_TUNE_LOG=%t.log mpirun --allow-run-as-root --oversubscribe -n 3 %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=SHRINK < %t.log
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_MIN_SHARE=0 MUSTER_TUNE=grow MUSTER_TUNE_INTERVAL=2 MUSTER_TUNE_LOG=%t.log mpirun --allow-run-as-root --oversubscribe -n 3 %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=GROW < %t.log
// RUN: %run MUSTER_CACHE_DIR= MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=auto mpirun --allow-run-as-root --oversubscribe -n 2 %t > %t.out
// RUN: diff %t.expected %t.out
//
// Ranks without devices of the kind, and given weights:
// RUN: %run "MUSTER_DEVICES=0=cpu;1=pocl;*=cpu" MUSTER_WEIGHTS=1,2,3 MUSTER_TUNE=grow MUSTER_TUNE_INTERVAL=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t > %t.out
// RUN: diff %t.expected %t.out
//
// Fewer launches than one interval: nothing is tried.
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_MIN_SHARE=0 MUSTER_TUNE=grow MUSTER_TUNE_INTERVAL=1000 MUSTER_TUNE_LOG=%t.log mpirun --allow-run-as-root --oversubscribe -n 2 %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=FIXED < %t.log
//
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_DEVICE_SET=1:opencl MUSTER_TUNE_LOG=%t.log mpirun --allow-run-as-root --oversubscribe -n 2 %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=FIXED < %t.log
//
// What was found is kept, and begun with the next time; other devices are a warning.
// RUN: rm -f %t.store
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_MIN_SHARE=0 MUSTER_TUNE=shrink MUSTER_TUNE_INTERVAL=2 MUSTER_TUNE_STORE=%t.store %t > %t.out
// RUN: FileCheck %s --check-prefix=STORE < %t.store
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_MIN_SHARE=0 MUSTER_TUNE=shrink MUSTER_TUNE_STORE=%t.store MUSTER_TUNE_LOG=%t.log %t > %t.out
// RUN: diff %t.expected %t.out && FileCheck %s --check-prefix=AGAIN < %t.log
// RUN: sed -i 's/rank 0:/rank 7:/' %t.store
// RUN: %run MUSTER_DEVICES=cpu,pocl MUSTER_TUNE=shrink MUSTER_TUNE_STORE=%t.store %t 2>&1 > %t.out | FileCheck %s --check-prefix=GONE
// RUN: diff %t.expected %t.out
//
// Mistakes:
// RUN: not %run MUSTER_TUNE_INTERVAL=0 %t 2>&1 | FileCheck %s --check-prefix=INTERVAL
// RUN: not %run MUSTER_TUNE_INTERVAL=often %t 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not %run MUSTER_TUNE=often %t 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not %run MUSTER_DEVICES=cpu,pocl MUSTER_DEVICE_SET=2:cpu %t 2>&1 | FileCheck %s --check-prefix=SET
// RUN: not %run MUSTER_DEVICES=cpu,pocl MUSTER_TUNE_LOG=/nowhere/log %t 2>&1 | FileCheck %s --check-prefix=LOG
//
// ONE: elapsed s{{.*}}loop{{.*}}set
// ONE-DAG: tune.cpp:{{[0-9]+}}{{.*}}try 1:cpu{{[[:space:]]}}
// ONE-DAG: tune.cpp:{{[0-9]+}}{{.*}}try 1:opencl
// ONE: {{stay with|go back to}} 1:{{.*}}the fastest of 3 sets
// SHRINK: 3:{{[a-z+]+}}{{.*}}try {{[12]}}:
// SHRINK: {{stay with|go back to}} {{.*}}the fastest of
// GROW: try 1:
// GROW: try {{[23]}}:
// GROW: {{stay with|go back to}} {{.*}}the fastest of
// FIXED: elapsed s{{.*}}loop
// FIXED-NOT: tune.cpp
// STORE: "devices"
// STORE: rank 0:
// AGAIN: begin with 1:
// AGAIN-NOT: try
// GONE: muster: warning: MUSTER_TUNE_STORE={{.*}}: not the devices of this job, searching: 1:
// INTERVAL: MUSTER_TUNE_INTERVAL=0: it is not a number of launches. It takes a number of launches, 1 to 1000000.
// WORD: MUSTER_TUNE_INTERVAL=often: it is not a number of launches. It takes a number of launches, 1 to 1000000.
// MODE: MUSTER_TUNE=often{{.*}} It takes off, grow, shrink or auto.
// SET: MUSTER_DEVICE_SET: only 1 ranks have devices of these kinds
// LOG: MUSTER_TUNE_LOG=/nowhere/log: cannot be written
#include <cstdio>
#include <utility>

int main() {
  const long n = 200, m = 30;
#pragma ompx managed(u)
  double* u = new double[n * m];
#pragma ompx managed(v)
  double* v = new double[n * m];
#pragma ompx managed(bins)
  int* bins = new int[16];
  for (long k = 0; k < n * m; ++k) u[k] = v[k] = static_cast<double>(k % 7);
  for (int k = 0; k < 16; ++k) bins[k] = 0;
  for (int t = 0; t < 300; ++t) {
#pragma omp parallel for
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < m - 1; ++j)
        v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
#pragma omp parallel for
    for (long k = 0; k < n * m; ++k) {
#pragma omp atomic
      bins[k % 16] += static_cast<int>(v[k]);
    }
    std::swap(u, v);
    if (t % 40 == 17) u[5 * m + 5] += 3;
  }
  double sum = 0;
  for (long k = 0; k < n * m; ++k) sum += u[k] * static_cast<double>(k % 13);
  long all = 0;
  for (int k = 0; k < 16; ++k) all += bins[k] * (k + 1);
  std::printf("%.17g %ld\n", sum, all);
  delete[] u;
  delete[] v;
  delete[] bins;
}
