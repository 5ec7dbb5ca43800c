// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small arrays of the host that a loop reads: of several types and dimensions, local, static and global, through
// pointers, changed between launches. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=rewrite %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
//
// The kernel is split, its native code and OpenCL text get the values.
// CHECK: double (&weights)[3] = *static_cast<double (*)[3]>(const_cast<void *>(muster_c->scalars[0]));
// CHECK: {"weights", sizeof(weights), MUSTER_TYPE_OTHER, {0, 0, 0}, nullptr},
// CHECK: double elements[3];
#include "Inputs/wild_report.h"

enum class Shade : unsigned char { light, dark };
static double offsets[2] = {1, 2};

int main() {
  const int n = 300;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n]();
  fill(a, n);
  double weights[3] = {0.25, 0.5, 0.25};
  float square[2][3] = {{1, 2, 3}, {4, 5, 6}};
  static int steps[4] = {1, -1, 2, -2};
  bool uses[3] = {true, false, true};
  Shade shades[2] = {Shade::dark, Shade::light};
  for (int t = 0; t < 3; t++) {
    weights[t] += t;
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) b[i] = weights[0] * a[i - 1] + weights[1] * a[i] + weights[2] * a[i + 1];
    report("b", b, n);
    square[t % 2][t] = 9;
    steps[t] *= -1;
    offsets[t % 2] += 0.5;
#pragma omp parallel for
    for (int i = 2; i < n - 2; i++) {
      const float *row = square[i % 2];
      double sum = shades[i % 2] == Shade::dark ? 3 : 4;
      for (int k = 0; k < 3; k++)
        if (uses[k]) sum += row[k] * a[i + steps[k]] + offsets[k / 2];
      b[i] = sum;
    }
    report("b", b, n);
  }
  long double wide[2] = {1.5L, 2};
  double large[300];
  for (int i = 0; i < 300; i++) large[i] = i * 0.5;
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] += (double)wide[i % 2] + large[n - 1 - i];
  report("b", b, n);
  delete[] a;
  delete[] b;
}
