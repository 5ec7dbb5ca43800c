// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_get_wtime() waits for the launches before it, so that a timed loop's time is that of its work: nothing is left to
// wait for when the data is touched afterwards.
// RUN: %muster-link -O2 %s -o %t
// RUN: env MUSTER_DEVICES=opencl %run %t
// RUN: env MUSTER_DEVICES=cpu %run %t
#include <omp.h>

#include <cstdio>

int main() {
  const int n = 4096;
#pragma omp managed(a)
  double *a = new double[n];
  for (int step = 0; step < 2; ++step) {  // the first one also builds the kernel
    const double start = omp_get_wtime();
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      double x = i;
      for (int k = 0; k < 20000; ++k) x = x * 0.999 + 1.0 / (1.0 + k);
      a[i] = x;
    }
    const double end = omp_get_wtime();
    const double value = a[n / 2];
    const double touched = omp_get_wtime();
    if (value > 0 && end - start > touched - end) continue;
    printf("step %d: the launch took %g s, and %g s were left afterwards\n", step, end - start, touched - end);
    return 1;
  }
  delete[] a;
  return 0;
}
