// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output right before the program ends: such loops run on CPUs, and no chunk writes the message twice. Ranks have
// even chunks, so that one of them has all elements that end it. mpirun may print one rank's lines in front of those that
// another one wrote before. Other output keeps a loop plain.
//
// RUN: %muster++ -O1 -w -fsyntax-only -fplugin-arg-muster-remarks=missed %s 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: %plain -O1 -w %s -o %t.plain && %muster-link -O1 -w -fplugin-arg-muster-remarks=none %s -o %t
// RUN: env OMP_NUM_THREADS=1 %t.plain 0 > %t.expected
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu %t 0 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t 0 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,1,1 \
// RUN:   mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t 0 > %t.actual 2> %t.errors
// RUN: sort %t.expected > %t.sorted && sort %t.actual | diff %t.sorted -
// RUN: not env OMP_NUM_THREADS=1 %t.plain 1 > %t.expected
// RUN: not env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu %t 1 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: not env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t 1 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: not env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,1,1 \
// RUN:   mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t 1 > %t.actual 2> %t.errors
// RUN: sort %t.expected > %t.sorted && sort %t.actual | diff %t.sorted -
// RUN: not env OMP_NUM_THREADS=1 %t.plain 2 > %t.expected
// RUN: not env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu %t 2 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: not env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t 2 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: not env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,1,1 \
// RUN:   mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t 2 > %t.actual 2> %t.errors
// RUN: sort %t.expected > %t.sorted && sort %t.actual | diff %t.sorted -
// RUN: not env OMP_NUM_THREADS=1 %t.plain 3 > %t.expected
// RUN: not env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu %t 3 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: not env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t 3 > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: not env OMP_NUM_THREADS=1 MUSTER_TUNE=off MUSTER_DEVICES=cpu MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,1,1 \
// RUN:   mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 %t 3 > %t.actual 2> %t.errors
// RUN: sort %t.expected > %t.sorted && sort %t.actual | diff %t.sorted -
#include <cstdio>
#include <cstdlib>
#include <iostream>

void check(const double *a, int i) {
  if (a[i] < 0) {
    printf("element %d is %g\n", i, a[i]);
    puts("no further");
    exit(3);
  }
}

template <class T>
void root(T *a, int i) {
  if (a[i] < 0) {
    std::cout << "element " << i << " is " << a[i] << ' ' << std::endl;
    std::exit(3);
  }
}

int main(int argc, char **argv) {
  const int n = 999;
#pragma ompx managed(a)
  double *a = new double[n];
  const int how = argc > 1 ? std::atoi(argv[1]) : 0;
  printf("begin\n");
// REMARK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_main_[[#@LINE+1]]' runs on CPUs only: calls 'printf'
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = i;
    if (n < i) {
      std::printf("never %d\n", i);
      std::abort();
    }
  }
  for (int i = 700; i < 720; i++) a[i] = how > 0 ? -i : 5;
// REMARK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_main_[[#@LINE+1]]' runs on CPUs only: writes to a stream before the program ends
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (how == 1) root(a, i);
    a[i] += 0;
  }
// REMARK-DAG: :[[#@LINE+1]]:1: remark: loop 'muster_main_[[#@LINE+1]]' runs on CPUs only: calls 'printf'
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] *= 1;
    if (how == 2) check(a, i);
    if (how == 3 && a[i] < 0) {
      (void)printf("element %d, %s: ", i, "in the loop");
      std::cout << a[i] << "\n";
      fflush(stdout);
      exit(3);
    }
  }
// REMARK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'printf'
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] < -1) printf("%g\n", a[i]);
// REMARK-DAG: :[[#@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'printf'
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] < -1) {
      printf("%g\n", a[i]);
      a[i] = 3;
      exit(2);
    }
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i];
  printf("sum %g\n", sum);
}
