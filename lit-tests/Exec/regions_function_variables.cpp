// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that call a function through a variable that only functions of this unit are assigned to: the functions' loops
// are distributed, as with calls by their names. Variables that may lead elsewhere keep the region plain.
//
// RUN: %plain -w %s -o %t.plain && %muster-link -O2 -w %s -o %t.muster
// RUN: %run %t.plain 0 > %t.expected
// RUN: %run MUSTER_DEVICES=cpu %t.muster 0 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_TUNE=off %t.muster 0 | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu MUSTER_TUNE=off MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root \
// RUN:   --oversubscribe --bind-to none -n 3 %t.muster 0 | diff %t.expected -
// RUN: %run %t.plain 1 > %t.expected
// RUN: %run MUSTER_DEVICES=cpu %t.muster 1 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_TUNE=off %t.muster 1 | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu MUSTER_TUNE=off MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root \
// RUN:   --oversubscribe --bind-to none -n 3 %t.muster 1 | diff %t.expected -
// RUN: %run %t.plain 2 > %t.expected
// RUN: %run MUSTER_DEVICES=cpu %t.muster 2 | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_TUNE=off %t.muster 2 | diff %t.expected -
// RUN: env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu MUSTER_TUNE=off MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root \
// RUN:   --oversubscribe --bind-to none -n 3 %t.muster 2 | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | FileCheck %s
#include <omp.h>

#include <cstdio>
#include <cstdlib>

void nothing(int, const double *, double *) {}

void star1(int n, const double *in, double *out) {
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp for
  for (int i = 1; i < n - 1; i++) out[i] += in[i - 1] + in[i + 1];
}

void star2(int n, const double *in, double *out) {
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp for
  for (int i = 2; i < n - 2; i++) out[i] += in[i - 2] + 2 * in[i - 1] + in[i + 1] - in[i + 2];
}

void perThread(int n, const double *, double *out) {
  if (omp_get_thread_num() == 1) out[n / 2] += 5;
}

using Stencil = void (*)(int, const double *, double *);
void replace(Stencil &which) { which = perThread; }
Stencil given = star1;

int main(int argc, char **argv) {
  const int n = 1000, radius = argc > 1 ? std::atoi(argv[1]) : 0;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
  auto stencil = nothing;
  switch (radius) {
    case 1:
      stencil = star1;
      break;
    case 2:
      stencil = &star2;
      break;
  }
  Stencil other = radius > 2 ? star2 : star1, changed = star1, threads = radius > 2 ? perThread : star1;
  replace(changed);
#pragma omp parallel
  {
// CHECK-DAG: :[[#@LINE+1]]:1: remark: loop is outlined {{.*}} for all devices
#pragma omp for
    for (int i = 0; i < n; i++) {
      a[i] = i % 17;
      b[i] = 0;
    }
    for (int k = 0; k < 3; k++) {
#pragma omp master
      printf("%d\n", k);
#pragma omp barrier
      stencil(n, a, b);
      (*other)(n, b, a);
    }
  }
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: calls a function through a pointer, which may depend on the threads of the team
#pragma omp parallel
  {
    changed(n, a, b);
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += i;
  }
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: calls a function through a pointer, which may depend on the threads of the team
#pragma omp parallel
  {
    given(n, a, b);
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += i;
  }
// CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: calls 'omp_get_thread_num', so that its result depends on the threads of the team
#pragma omp parallel
  {
    threads(n, a, b);
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += i;
  }
  double sum = 0;
  for (int i = 0; i < n; i++) sum += i % 13 * (a[i] - b[i]);
  printf("%.17g\n", sum);
}
