// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C says of arrays and variable lengths.
// RUN: %cc -std=c2x -w -fblocks -fsyntax-only %s 2>&1 | %filecheck %s
#include <stdlib.h>
#define SIZE(a) sizeof(a)
void f(int n) {
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 'a' stays a plain array: a clause of a directive names it, and it becomes a pointer
#pragma omp managed(a)
  double a[8];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'firstprivate' of 'a', which is no number, and no struct or array of numbers of up to 4096 bytes
#pragma omp parallel for firstprivate(a)
  for (int i = 0; i < n; ++i) a[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:21: remark: array 'b' stays a plain array: a macro uses it as a whole (sizeof, &)
#pragma omp managed(b)
  double b[8];
  n = SIZE(b);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = 1;
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: counts in a _BitInt
#pragma omp parallel for
  for (unsigned _BitInt(40) i = 0; i < 8; ++i) b[i] = 1;
  double (*r)[n] = malloc(n * n * 8);
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: declares 'p' of type 'double (*)[n]'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double (*p)[n] = &r[i]; b[i] = (*p)[3]; }
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}runs on CPUs only: uses an array of variable length, which OpenCL does not have
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { double scratch[n]; scratch[0] = 3; b[i] = scratch[0]; }
  double tmp[n];
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: 'private' of 'tmp', which has no fixed size or holds more than numbers; declare it in the loop's body
#pragma omp parallel for private(tmp)
  for (int i = 0; i < n; ++i) { tmp[0] = 3; b[i] = tmp[0]; }
}
static double table[8];
void (^block)(void) = ^{
// CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}on rank 0: is outside of a function
#pragma omp parallel for
  for (int i = 0; i < 8; ++i) table[i] = 1;
};
