// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's struct, of which a pointer leads to an array.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <stdio.h>

enum { N = 60 };
struct three {
  int v[3];
};
#pragma ompx managed(a)
static int a[N];

int main(void) {
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 't', of which each thread has its own
#pragma omp parallel
  {
    struct three t = {{5, 6, 7}};
    int *p = t.v;
#pragma omp for
    for (int i = 0; i < N; i++) {
      t = (struct three){{1, i, 2}};
      a[i] = p[1];
    }
  }
#pragma omp parallel
  {
    struct three t = {{5, 6, 7}};
    t.v[1] += 2;
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp for
    for (int i = 0; i < N; i++) {
      t = (struct three){{1, i, 2}};
      a[i] += t.v[i % 3];
    }
  }
  long sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * (i + 1);
  printf("%ld\n", sum);
}
