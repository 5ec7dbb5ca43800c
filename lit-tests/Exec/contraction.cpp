// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices round products and sums once or twice, as the host does with the same flags. The plain program of the same
// flags is the oracle.
//
// REQUIRES: fma
// RUN: %plain -O2 -w -mfma %s -o %t.on && %run %t.on > %t.on.expected
// RUN: %muster-link -O2 -w -mfma -fplugin-arg-muster-strict %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.on.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.on.expected - && not grep 'not build' %t.warnings
// RUN: %plain -O2 -w -march=native -ffp-contract=off %s -o %t.off && %run %t.off > %t.off.expected
// RUN: %muster-link -O2 -w -march=native -ffp-contract=off -fplugin-arg-muster-strict %s -o %t.muster && %run MUSTER_DEVICES=opencl %t.muster | diff %t.off.expected -
// RUN: not diff %t.on.expected %t.off.expected > /dev/null
#include <cmath>
#include <cstdio>
#include <cstdlib>

static double axpy(double x, double y) { return x * 1.7 - y * 0.3; }

int main() {
  const int n = 4001;
#pragma ompx managed(a)
  double *a = new double[n];
#pragma ompx managed(b)
  double *b = new double[n];
#pragma ompx managed(f)
  float *f = new float[n];
  for (int i = 0; i < n; i++) a[i] = i * 0.37 + 1e-3, b[i] = 1.0 / (i + 3), f[i] = i * 0.011f;
  for (int t = 0; t < 5; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      const double c = a[i] * b[i] - 0.1;
      a[i] = 0.3 - c * 0.7 + b[i] * a[i] * 0.01;
      b[i] += axpy(c, b[i]) * 1e-2;
      b[i] -= f[i] * 1e-4;
      f[i] = -(f[i] * 0.9f) + 0.1f * i;
      f[i] += a[i] * b[i];
      float s = 0;
      for (int k = 0; k < 7; k++) s += f[i] * 0.1f * k - s * s;
      f[i] = s;
    }
  }
  for (int i = 0; i < n; i += 17) printf("%a %a %a\n", a[i], b[i], (double)f[i]);
}
