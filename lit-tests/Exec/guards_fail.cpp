// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// (i + 3) % n is i + 3 or i + 3 - n only where n is at least 3: otherwise the launch stays on the host, and its access maps
// are wrong. What it writes must reach the array all the same. Found by the fuzzer (seed 7004).
// RUN: %plain %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t
// RUN: env MUSTER_DEVICES=opencl %run %t | diff %t.expected -
// RUN: env MUSTER_DEVICES=opencl MUSTER_ASYNC=off %run %t | diff %t.expected -
// RUN: env MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %run %t | diff %t.expected -
#include <cstdio>

static void increase(double *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += 2;
}

static void rotate(double *a, const double *b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[(i + 3) % n] = b[i];
}

int main() {
  for (int n = 1; n < 6; ++n) {
#pragma ompx managed(a, b)
    double *a = new double[n], *b = new double[n];
    for (int i = 0; i < n; ++i) a[i] = 5 * i, b[i] = 3 + i;
    increase(a, n);
    rotate(a, b, n);
    printf("%g %g\n", a[0], a[n - 1]);
    increase(a, n);
    rotate(a, b, n);
    increase(a, n);
    printf("%g %g\n", a[0], a[n - 1]);
    delete[] a;
    delete[] b;
  }
}
