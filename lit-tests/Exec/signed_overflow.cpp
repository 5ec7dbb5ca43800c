// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signed overflow that the compiler's flags define: kernels wrap, too, or take no part. The plain program is the oracle.
//
// RUN: %plain -O2 -w -fwrapv %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -w -fwrapv -fplugin-arg-muster-strict -fplugin-arg-muster-print=plan %s -o %t.muster \
// RUN:   | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %muster-link -O2 -w -fno-strict-overflow %s -o %t.muster && %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// CHECK-COUNT-4: native and OpenCL
// RUN: %muster++ -w -ftrapv -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck --check-prefix=TRAPS %s
// TRAPS: is compiled with -ftrapv, which OpenCL does not have
#include <climits>

#include "Inputs/loop_report.h"

static int twice(int x) { return x + x; }

int main(int argc, char**) {
  const int n = 1000;
#pragma ompx managed(a)
  int* a = new int[n];
#pragma ompx managed(b)
  long* b = new long[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = INT_MAX - 500 * argc + i;
    b[i] = LONG_MIN + i;
  }
  int overflows = 0, random = 0, negative = 0, counted = 0;
#pragma omp parallel for reduction(+ : overflows, random)
  for (int i = 0; i < n; ++i) {
    overflows += a[i] + 100 < a[i];
    int r = i;
    for (int k = 0; k < 5; ++k) r = r * 1103515245 + 12345;
    random += r;
  }
#pragma omp parallel for reduction(+ : negative, counted)
  for (int i = 0; i < n; ++i) {
    int x = INT_MIN + i, up = INT_MAX - 3 + i % 8;
    const int m = x < 0 ? -x : x;
    negative += m < 0;
    counted += up++ > 0;
    counted += 3 * (++up < 0);
    up -= i;
    counted += 5 * (up-- < INT_MIN + 3 * argc) + 7 * (twice(up) < up);
    short narrow = 32767;
    narrow += i;
    counted += narrow - (a[i] & 1);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    b[i] -= 1000;
    b[i] = b[i] * 3 - i;
    a[i] *= a[i];
  }
  report("overflows", overflows);
  report("random", random);
  report("negative", negative);
  report("counted", counted);
  report("a", a, n);
  report("b", b, n);
  delete[] a;
  delete[] b;
}
