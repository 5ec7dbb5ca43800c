// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C: `omp simd` inside of a body, over arrays of fixed size, pointers and members, also made by macros.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O2 -w -fplugin-arg-muster-remarks=none -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// CHECK: loops: 5 for all devices, 0 for CPUs only, 0 plain OpenMP
#include <stdio.h>
#include <stdlib.h>

#define N 40
#define M 16
#define SIMD _Pragma("omp simd")

#pragma ompx managed(grid)
double grid[N][M];
struct field {
  double *u;
  int m;
};

int main(void) {
#pragma ompx managed(v)
  double *v = malloc(N * M * sizeof *v);
  struct field f = {v, M};
  int i, j;
  double t;
#pragma omp parallel for private(j)
  for (i = 0; i < N; i++) {
#pragma omp simd aligned(grid)
    for (j = 0; j < M; j++) grid[i][j] = i * j;
  }
#pragma omp parallel for private(i, j, t)
  for (i = 0; i < N; i++) {
    t = 0;
#pragma omp simd reduction(+ : t)
    for (j = 0; j < f.m; j++) {
      f.u[i * f.m + j] = grid[i][j] + 1;
      t += f.u[i * f.m + j];
    }
    grid[i][0] = t;
  }
#pragma omp parallel for
  for (int k = 0; k < N; k++) {
    SIMD for (int l = 1; l < M; l++) grid[k][l] += v[k * M + l];
  }
#pragma omp parallel for
  for (int k = 0; k < N; k++) {
    double part[4] = {0, 0, 0, 0};
#pragma omp simd reduction(+ : part)
    for (int l = 0; l < M; l++) part[l % 4] += v[k * M + l];
    v[k * M] = part[0] + 2 * part[3];
  }
  int from = 3;
#pragma omp parallel for simd linear(from : M)
  for (i = 0; i < N - 1; i++) {
    v[from] += i;
    from++;
  }
  printf("%d %d\n", from, i);
  double sum = 0;
  for (int k = 0; k < N; k++)
    for (int l = 0; l < M; l++) sum += grid[k][l] * (l + 1) + v[k * M + l];
  printf("%.17g\n", sum);
  free(v);
  return 0;
}
