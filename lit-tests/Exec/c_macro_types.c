// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays whose element type is a macro, as benchmarks have them, also of an option. The plain program is the oracle.
//
// RUN: %plain-c -DREAL=double -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -DREAL=double -O1 -fplugin-arg-muster-print=plan %s -o %t.muster 2> %t.said | FileCheck %s
// RUN: count 0 < %t.said
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %muster-link -x c++ -DREAL=double -O1 %s -o %t.cxx 2>&1 | count 0
// RUN: %run %t.cxx | diff %t.expected -
// CHECK-COUNT-3: {{^}}kernel
// CHECK-NOT: {{^step back}}
#include <stdio.h>
#define N 203
#define PRIVATE static REAL
#define DATA REAL
#pragma ompx managed(u)
REAL u[N][N];
#pragma ompx managed(v)
DATA first[2] = {1, 2}, v[N], last = 4;
#pragma ompx managed(w)
PRIVATE w[N] = {3, 2, 1};

int main(void) {
#pragma ompx managed(x)
  REAL x[N] = {5, 6}, factor = 0.5, *p = x;
#pragma ompx managed(y)
  PRIVATE y[N];
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) u[i][j] = i * factor + j;
#pragma omp parallel for
  for (int i = 0; i < N; i++) v[i] = u[i][N - 1 - i] + w[i] + first[1];
#pragma omp parallel for
  for (int i = 0; i < N; i++) y[i] = x[i] + v[i] * last;
  REAL sum = p[1];
  for (int i = 0; i < N; i++) sum += y[i] * (i + 1);
  printf("%.17g\n", sum);
  return 0;
}
