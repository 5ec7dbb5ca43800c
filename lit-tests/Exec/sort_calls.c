// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qsort of the elements of an array, and of the iteration's own, by functions that only compare.
// RUN: %plain-c -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t 2>&1 | FileCheck %s
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 3 %t 2>&1 | FileCheck --check-prefix=LAUNCHES %s
// LAUNCHES-NOT: this loop runs on rank 0
#include <stdio.h>
#include <stdlib.h>

static int turn = 1;
static int ascending(const void *left, const void *right) {
  const int *a = (const int *)left, *b = (const int *)right;
  return *a < *b ? -1 : *a > *b;
}
static int descending(const void *left, const void *right) { return ascending(right, left); }
static int turned(const void *left, const void *right) { return turn * (*(const int *)left - *(const int *)right); }
static int byTens(const void *left, const void *right) { return *(const int *)left / 10 - *(const int *)right / 10; }

int main(void) {
  const int n = 600, width = 8;
#pragma ompx managed(a)
  int *a = malloc(n * width * sizeof *a);
#pragma ompx managed(least)
  int *least = malloc(n * sizeof *least);
  for (int i = 0; i < n * width; ++i) a[i] = i * 7919 % 1009;
// CHECK: [[# @LINE + 1]]:1: remark: loop 'muster_main_[[# @LINE + 1]]' runs on CPUs only: calls 'qsort', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    qsort(&a[i * width], width, sizeof(int), ascending);
    for (int k = 0; k < width; ++k) a[i * width + k] += k;
  }
// CHECK: [[# @LINE + 1]]:1: remark: loop 'muster_main_[[# @LINE + 1]]' runs on CPUs only: calls 'qsort', which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int own[8];
    for (int k = 0; k < width; ++k) own[k] = a[(i * 5 + k * 31) % (n * width)];
    qsort(own, width, sizeof *own, &ascending);
    least[i] = own[0] * 3 + own[width / 2];
  }
  long sum = 0;
  for (int i = 0; i < n * width; ++i) sum += a[i] * (i % 13);
  for (int i = 0; i < n; ++i) sum += least[i] * (i % 11);
  printf("%ld\n", sum);
// What calls others, or uses variables of the file, may do more than compare.
// CHECK: [[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'qsort', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) qsort(&a[i * width], width, sizeof(int), descending);
// CHECK: [[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'qsort', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) qsort(&a[i * width], width, sizeof(int), turned);
  int (*chosen)(const void *, const void *) = n > 5 ? ascending : byTens;
// CHECK: [[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'chosen', whose elements of type
#pragma omp parallel for
  for (int i = 0; i < n; ++i) qsort(&a[i * width], width, sizeof(int), chosen);
  for (int i = 0; i < n * width; ++i) sum += a[i] * (i % 13);
  printf("%ld\n", sum);
  free(a);
  free(least);
}
