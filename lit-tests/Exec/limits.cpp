// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that may only have small stacks, or so much address space; under a debugger; under valgrind.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t
// RUN: %run bash -c "ulimit -s 64; %t" | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl bash -c "ulimit -s 64; %t" | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 bash -c "ulimit -s 64; exec %t" | diff %t.expected -
// RUN: %run bash -c "ulimit -v 2000000; %t" | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl bash -c "ulimit -v 2000000; %t" | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 bash -c "ulimit -v 2000000; exec %t" | diff %t.expected -
#include <cstdio>
#include <vector>

#pragma ompx managed(table)
static double table[100000];

static double sum(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i];
  return s;
}

int main() {
  for (int round = 0; round < 20; ++round) {
    const int n = 1000 << (round % 10);
#pragma ompx managed(a)
    double *a = new double[n];
#pragma ompx managed(v)
    std::vector<double> v(n);
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      a[i] = i + round;
      v[i] = 2 * i;
    }
#pragma omp parallel for
    for (int i = 0; i < 100000; ++i) table[i] += i;
    std::printf("%g %g %g\n", sum(a, n), sum(v.data(), n), sum(table, 100000));
    delete[] a;
  }
}
