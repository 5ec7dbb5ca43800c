// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While the CPU computes a long chunk, the host gets data that has nothing to do with it at once: from a device of the
// same rank. What the chunk makes is waited for.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,1 %t.muster overtakes > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe -n 3 \
// RUN:   %t.muster | diff %t.expected -
#include <chrono>
#include "Inputs/wild_report.h"

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main(int argc, char **) {
  const int n = 4000, steps = 100000;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
  fill(a, n), fill(b, n);
  bool first = true;
  for (int round = 0; round < 3; round++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = a[i] * 0.5 + i;
    const auto start = std::chrono::steady_clock::now();
    // long double has no counterpart on devices: the CPUs compute this loop.
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      long double x = b[i];
      for (int k = 0; k < steps / 10; k++) x = x * 0.999L + 0.25L;
      b[i] = x;
    }
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    const double fetched = secondsSince(start);
    for (int i = 0; i < n; i++) sum += b[i];
    const double done = secondsSince(start);
    first = first && (round == 0 || fetched < done / 2);  // the first time, kernels are built
    a[n - 1] = sum;
    std::printf("%.17g\n", sum);
  }
  report("a", a, n), report("b", b, n);
  if (argc > 1 && !first) std::printf("the data of the device came after the chunk\n");
  delete[] a;
  delete[] b;
}
