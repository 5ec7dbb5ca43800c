// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `collapse` over four and five loops, over loops that are not rectangular, with loop variables that are declared in
// front; `nowait` on `target`.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=none -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// CHECK: loops: 5 for all devices, 0 for CPUs only, 0 plain OpenMP
#include <stdio.h>
#include <stdlib.h>

#define N 6
#define AT(i, j, k, l) ((((i) * N + (j)) * N + (k)) * N + (l))

static double sum(const double *a) {
  double s = 0;
  for (int i = 0; i < N * N * N * N; i++) s += a[i] * (i % 11 + 1);
  return s;
}

int main(void) {
#pragma ompx managed(a)
  double *a = calloc(N * N * N * N, sizeof *a);
  int i, j, k, l, m;
#pragma omp parallel for collapse(4)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      for (k = 0; k < N; k++)
        for (l = 0; l < N; l++) a[AT(i, j, k, l)] = i * j - k * l;
  printf("%g\n", sum(a));
#pragma omp parallel for collapse(5) private(l, m)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      for (k = 0; k < N; k++)
        for (l = 1; l < N; l += 2)
          for (m = 0; m < 1; m++) a[AT(i, j, k, l)] += m + l;
  printf("%g\n", sum(a));
#pragma omp parallel for collapse(2)
  for (i = 0; i < N; i++)
    for (j = i; j < N; j++) a[AT(i, j, 0, 0)] += j;
  printf("%g\n", sum(a));
#pragma omp target teams distribute parallel for collapse(4) nowait map(tofrom : a[0 : N * N * N * N])
  for (int p = 0; p < N; p++)
    for (int q = 0; q < N; q++)
      for (int r = 0; r < N; r++)
        for (int s = 0; s < N; s++) a[AT(p, q, r, s)] *= 2;
#pragma omp taskwait
  printf("%g\n", sum(a));
  double total = 0;
#pragma omp parallel for collapse(4) reduction(+ : total)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      for (k = 0; k < N; k++)
        for (l = N - 1; l >= 0; l--) total += a[AT(i, j, k, l)];
  printf("%g\n", total);
  free(a);
  return 0;
}
