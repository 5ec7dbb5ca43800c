// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MUSTER_WEIGHTS may change between launches: devices join, leave, and get other shares, and the data follows them.
// RUN: %plain -O1 %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t
// RUN: env MUSTER_DEVICES=cpu,opencl "MUSTER_WEIGHTS=1,0;3:1,4;5:0,1;9:3,1" %run %t | diff %t.expected -
// RUN: env MUSTER_DEVICES=cpu MUSTER_WEIGHTS="1,0,0;2:1,1,1;6:0,0,1;7:0,2,1;8:1,1,0" mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t | diff %t.expected -
// RUN: env MUSTER_DEVICES=cpu,opencl MUSTER_INFO=2 "MUSTER_WEIGHTS=1,0;3:0,1" %run %t 2>&1 | FileCheck %s
// RUN: not env MUSTER_DEVICES=cpu,opencl "MUSTER_WEIGHTS=1,0;3:0,1,1" %run %t 2>&1 | FileCheck --check-prefix=COUNT %s
// CHECK: _[[LINE:[0-9]+]]): {{.*}} 0 B moved
// CHECK: _[[LINE]]): {{.*}} 16.2 KiB moved
// COUNT: muster: error: 3 weights were given for 2 devices of the job
#include <cstdio>
#include <utility>

int main() {
  const int n = 1037;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
#pragma ompx managed(count)
  int *count = new int[16];
  for (int i = 0; i < n; ++i) a[i] = (i * 37) % 101, b[i] = 0;
  for (int k = 0; k < 16; ++k) count[k] = 0;
  for (int step = 0; step < 6; ++step) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i < n - 1; ++i) {
      b[i] = a[i - 1] + a[i + 1];
      sum += b[i];
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      count[static_cast<int>(a[i]) % 16]++;
    }
    if (step == 2) b[n / 2] += 1;
    printf("%g\n", sum);
    std::swap(a, b);
  }
  for (int i = 0; i < n; i += 61) printf("%g ", a[i] + b[i]);
  for (int k = 0; k < 16; ++k) printf("%d ", count[k]);
  printf("\n");
  delete[] a;
  delete[] b;
  delete[] count;
}
