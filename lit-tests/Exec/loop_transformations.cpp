// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `omp tile` and `omp unroll` behind a worksharing directive and inside of bodies: the same iterations. What has to stay
// plain: groups whose iterations give each other values, and orders that show.
//
// RUN: %plain -O2 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -w -fplugin-arg-muster-remarks=all -fplugin-arg-muster-summary %s -o %t.muster 2>&1 \
// RUN:   | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe \
// RUN:   --bind-to none -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#include <vector>

constexpr int n = 75;
#define TILE _Pragma("omp tile sizes(4, 8)")

template <class T>
void scale(T *a, T factor) {
// CHECK: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for
#pragma omp unroll partial(3)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] *= factor;
}

int main() {
#pragma ompx managed(a, b, c)
  std::vector<double> a(n * n), b(n * n), c(n * n);
// CHECK: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for
#pragma omp tile sizes(8, 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] = i + 2 * j;
// CHECK: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for collapse(2)
  TILE
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) b[j * n + i] = a[i * n + j] + i % 7;
  }
// CHECK: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for collapse(2)
#pragma omp tile sizes(8, 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c[i * n + j] = i - j;
// CHECK: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp unroll full
    for (int k = 0; k < 4; k++)
#pragma omp tile sizes(5)
      for (int j = 0; j < n; j++) c[i * n + j] += k * b[i * n + j];
  }
  scale(a.data(), 3.0);
  long sum = 0;
#pragma omp parallel
  {
// CHECK: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp for reduction(+ : sum)
#pragma omp tile sizes(6)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) sum += long(a[i * n + j] + c[i * n + j]);
  }
// CHECK: :[[#@LINE+1]]:1: remark: loop 'muster_main_[[#@LINE+1]]' runs on CPUs only: uses an 'omp tile' over several loops, which changes their order
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp tile sizes(3, 4)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) b[i * n] += c[j * n + k] * 0.1;
  }
// Each group of four is one thread's.
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: is transformed by 'omp tile' or 'omp unroll', and iterations may give values to the next ones
#pragma omp parallel for
#pragma omp unroll partial(4)
  for (int i = 1; i < 5; i++) a[i] = a[i - 1] + 1;
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: is transformed by
#pragma omp parallel for
#pragma omp tile sizes(4)
  for (int i = 0; i < n; i++)
    if (i % 4 == 0)
      a[i] = i * 3;
    else
      b[i] = a[i / 4 * 4] + 1;
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: is transformed by
#pragma omp parallel for
#pragma omp unroll partial(4)
  for (int i = 0; i < n; i++) c[i / 4] += a[i];
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: is transformed by
#pragma omp parallel for
#pragma omp tile sizes(30)
  for (int i = 0; i < 30; i++) a[2 * i + 1] = a[i] + 1;
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: is transformed by
#pragma omp parallel for
#pragma omp tile sizes(8)
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 4; j++) b[i * 2 + j] = b[i * 2 + j] * 2 + i;
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: contains an 'omp tile' over loops that change a variable
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = 0;
#pragma omp tile sizes(3, 4)
    for (int j = 0; j < 5; j++)
      for (int l = 0; l < 15; l++) c[i * n + k++] += 10 * j + l;
  }
// CHECK: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: shares out loops that 'omp tile' makes of more loops than one beside its own
#pragma omp parallel for
#pragma omp tile sizes(2, 3, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 5; k++) a[i * n + j] += 0.1 * k;
  double total = sum;
  for (int i = 0; i < n * n; i++) total += i % 11 * (a[i] + 3 * b[i] - c[i]);
  printf("%ld %.17g\n", sum, total);
}
// CHECK: loops: 6 for all devices, 1 for CPUs only, 7 plain OpenMP
