// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C: macros that a function defines in front of its loops. Native code stands in front of the function, so their text goes
// into the loop. Macros of the file that use them, their redefinition, and names that a macro leaves alone.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O2 -w -fplugin-arg-muster-remarks=all -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe \
// RUN:   --bind-to none -n 3 %t.muster | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 7
#define INDEX(i, j) ((i)*M + (j))
#define WIDTH COLUMNS

double plate(void) {
#define M 50
#define N 40
#define TWICE(x) (2 * (x) + WIDTH)
#define EMPTY
  double mean = 0;
#pragma ompx managed(w)
  double(*w)[N] = malloc(M * sizeof *w);
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) w[i][j] = TWICE(i * N) - j;
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for reduction(+ : mean) schedule(static)
  for (int i = 1; i < M - 1; i++) {
#pragma omp simd
    for (int j = 1; j < N - 1; j++) mean += w[i][j] * TWICE(M);
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: stands behind '#define M 50' of its function
#pragma omp parallel for
  for (int i = 0; i < M; i++) {
#ifdef M
    w[i][1] = 5;
#endif
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: stands behind '#define EMPTY' of its function
#pragma omp parallel for
  for (int i = 0; i < M; i++) EMPTY w[i][2] = 5;
  for (int i = 0; i < M; i++) mean += w[i][1] + w[i][2] + w[i][3];
  free(w);
  return mean;
#undef M
#undef N
}

double rows(void) {
#define M 30
  double sum = 0;
#pragma ompx managed(a)
  double *a = calloc(M * M, sizeof *a);
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) a[INDEX(i, j)] += i * WIDTH + j;
#undef M
#define M 15
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: stands behind '#undef M' of its function
#pragma omp parallel for
  for (int i = 0; i < 30; i++) {
    double M1 = WIDTH;
    for (int j = 0; j < M; j++) a[INDEX(i, j)] += i * M1;
  }
  for (int i = 0; i < 900; i++) sum += i % 17 * a[i];
  free(a);
  return sum;
#undef M
}

#define M 3
double scaled(int n) {
#define UNUSED 10
  double sum = 0;
#pragma ompx managed(b)
  double *b = malloc(n * sizeof *b);
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = M * i;
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: stands behind '#define INSIDE 4' of its function
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#define INSIDE 4
    b[i] += INSIDE;
  }
  for (int i = 0; i < n; i++) sum += b[i];
  free(b);
  return sum;
}

// Lines that look otherwise, and text that is none.
#define SHIFT 1
#define SCALE 2
double spelled(int n) {
%:undef SHIFT
/* another */ #define SHIFT 10
#undef SCALE
# /* and */ def\
ine SCALE 20
  const char *text = "\
#define SHIFT 30";
  double sum = text[1];
#pragma ompx managed(b)
  double *b = malloc(n * sizeof *b);
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] = SCALE * i + SHIFT;
  _Pragma("push_macro(\"SHIFT\")")
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: stands behind '#_Pragma(
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i] += SHIFT;
  for (int i = 0; i < n; i++) sum += b[i];
  free(b);
  return sum;
}

int main(void) {
  printf("%.17g %.17g %.17g %.17g\n", plate(), rows(), scaled(100), spelled(100));
  return 0;
}
