// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A switch may lead into the branch of a condition that does not hold.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
#include <cstdio>

int main() {
  const int n = 1000;
#pragma ompx managed(a, b, m)
  double *a = new double[n], *b = new double[n];
  int *m = new int[n];
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i, m[i] = i % 3;
  bool never = false;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    switch (m[i]) {
      case 0:
        if (never) {
          b[i] += 1;
          case 1: a[i] += 5;
        }
        break;
      default: b[i] -= 1;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    switch (m[i]) {
      case 0:
        while (b[i] > 0) {
          if (never) {
            case 2: a[i] = b[i];
          }
          break;
        }
    }
  }
  double s = 0, t = 0;
  for (int i = 0; i < n; ++i) s += a[i], t += b[i];
  std::printf("%g %g\n", s, t);
  delete[] a;
  delete[] b;
  delete[] m;
}
