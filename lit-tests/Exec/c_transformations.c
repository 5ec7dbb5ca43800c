// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C: `omp tile` and `omp unroll` behind a worksharing directive and inside of bodies.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O2 -w -fplugin-arg-muster-remarks=all -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe \
// RUN:   --bind-to none -n 3 %t.muster | diff %t.expected -
// CHECK: loops: 4 for all devices, 0 for CPUs only, 0 plain OpenMP
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4

static void add(double *v, int m) {
#pragma omp for
#pragma omp tile sizes(SIZE, SIZE)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) v[i + m * j] += i * j;
}

int main(void) {
  int m = 41, k;
#pragma ompx managed(u, v)
  double *u = malloc(m * m * sizeof *u);
  double *v = malloc(m * m * sizeof *v);
#pragma omp parallel for
#pragma omp tile sizes(SIZE, SIZE)
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) u[i + m * j] = v[i + m * j] = i - j;
#pragma omp parallel
  add(v, m);
#pragma omp parallel for private(k)
  for (int i = 0; i < m; i++) {
#pragma omp unroll partial(2)
    for (k = 1; k < m; k++) v[i * m + k] += v[i * m + k - 1] / 4;
  }
#pragma omp parallel for
#pragma omp unroll partial(4)
  for (int i = 0; i < m * m; i++) u[i] += v[i];
  double sum = 0;
  for (int i = 0; i < m * m; i++) sum += i % 13 * u[i];
  printf("%.17g\n", sum);
  return 0;
}
