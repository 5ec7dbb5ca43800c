// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of shared variables that have no name of their own: bit-fields, halves of complex numbers. Whoever writes them
// writes the variable, so that these loops stay plain; one iteration does, which is no race.
//
// RUN: %plain-c -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <stdio.h>

enum { N = 50 };
struct flags {
  unsigned seen : 1, count : 6;
  float _Complex z;
};
#pragma ompx managed(a)
static int a[N];
static struct flags shared;

int main(void) {
  for (int i = 0; i < N; i++) a[i] = i;
  struct flags s = shared;
  float _Complex w = 0;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 's' without a reduction
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (a[i] == 20) s.seen = 1;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 's' without a reduction
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (a[i] == 20) s.count += i;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 'shared' without a reduction
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (a[i] == 20) shared.count++;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 'w' without a reduction
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (a[i] == 20) __imag w = i;
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: writes the shared variable 's.z' without a reduction
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (a[i] == 20) __real s.z = 3;
// Copies are the iteration's own.
// CHECK-DAG: [[#@LINE+1]]:1: remark: loop 'muster_main_[[#@LINE+1]]' runs on CPUs only: uses a bit field
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    struct flags own = s;
    own.count = i;
    a[i] += own.count + s.seen;
  }
  printf("%d %d %d %g %g %d\n", s.seen, s.count, shared.count, __imag w, __real s.z, a[N - 1]);
}
