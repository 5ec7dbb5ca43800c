// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are not managed, and pointers without a value, keep a loop from no device where a condition that is the same
// in all iterations keeps the loop from them.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2> %t.info | diff %t.expected -
// RUN: FileCheck --implicit-check-not="this loop runs on" %s < %t.info
// CHECK: :[[#UPDATES:]]: this loop runs with copies of arrays that are not managed (small), compared at every launch
// CHECK: :[[#WRITES:]]: this loop runs on rank 0's CPU: its argument shared does not point into a managed array
// CHECK-NOT: this loop
// RUN: %run MUSTER_DEVICES=cpu,opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
#include <cstdio>

static void store(double *to, double value) {
  for (int k = 0; k < 4; ++k) to[k] = value + k;
}

// As a program does that has one way for several threads, and one for one.
static void either(int n, int threads, double *a, double *by, const int *at) {
  double local[4];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (threads > 1) {
      store(&by[4 * i], a[i]);
    } else {
      store(local, a[i]);
      for (int k = 0; k < 4; ++k) a[at[i]] += local[k];
    }
  }
}

static void noPointer(int n, bool wanted, double *a) {
  double *nowhere;  // no value
  if (wanted) nowhere = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] *= 2;
    if (wanted && n > 10) nowhere[i] = a[i];
  }
  if (wanted) delete[] nowhere;
}

static int updates(int n, const double *a) {
  int small[5] = {0};
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
#pragma omp atomic
    small[(int)a[i] % 5]++;
  return small[0] + 10 * small[3];
}

// One element for all: the values are the same.
static double writes(int n, double *a) {
  double shared[3] = {0, 0, 0};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] == 46) shared[1] = a[i];
    a[i] += 1;
  }
  return shared[1];
}

int main() {
  const int n = 500;
#pragma ompx managed(a, by, at)
  double *a = new double[n], *by = new double[4 * n];
  int *at = new int[n];
  for (int i = 0; i < n; ++i) a[i] = i, at[i] = n - 1 - i;
  for (int i = 0; i < 4 * n; ++i) by[i] = 0;
  either(n, 8, a, by, at);
  noPointer(n, false, a);
  const int counts = updates(n, a);
  const double last = writes(n, a);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * i + by[4 * i + 3];
  printf("%g %d %g\n", sum, counts, last);
  delete[] a;
  delete[] by;
  delete[] at;
}
