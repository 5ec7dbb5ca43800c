// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `linear` of another variable than the loop's: each iteration has its own, which the body may change, and the last
// value is there after the loop. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck --check-prefix=FACTS %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | FileCheck --check-prefix=CODE %s
#include "Inputs/loop_report.h"

static const int n = 3000;
static double *a, *b;

template <class T>
static T filled(T first, int step) {
  T k = first;
#pragma omp parallel for simd linear(k : 3)
  for (int i = 0; i < n; ++i) b[i] = k + step;
  report("template", b, n);
  return k;
}

static void forms(int from, int step) {
// FACTS: loop [[#@LINE+7]] in forms
// FACTS: writes a[2*i + muster_start_k]
// FACTS: each iteration has k, 2 for each value of its variable
// CODE-LABEL: static void forms(
// CODE: const int64_t muster_start_k = static_cast<int64_t>(k) - 2 * static_cast<int64_t>((from));
// CODE: k = static_cast<int>(muster_start_k + 2 * static_cast<int64_t>(i));
  int k = 1;
#pragma omp parallel for simd linear(k : 2)
  for (int i = from; i < n; ++i) a[k] = i * 0.5;
  report("read", a, 2 * n);
  report("last", k);
  // The body counts by itself.
  long j = 5;
#pragma omp parallel for simd linear(j)
  for (int i = 0; i < n; ++i) {
    b[j] = a[i] + j;
    j++;
  }
  report("counted", b, n + 5);
  report("last", j);
  unsigned down = 2 * n, up = 7;
#pragma omp parallel for simd linear(down : -2) linear(up : 5) schedule(static, 64)
  for (int i = 0; i < n; ++i) a[down - 1] = up * 3 + a[0];
  report("down", a, 2 * n);
  report("last", down);
  report("last", up);
  short narrow = 3;
  int other = 4;
#pragma omp parallel for simd linear(narrow : 4) linear(other : -6) reduction(+ : up)
  for (int i = n - 1; i >= 0; i -= 2) {
    a[i] = narrow + other;
    up += narrow;
  }
  report("backwards", a, n);
  report("last", narrow);
  report("last", other);
  report("sum", up);
#pragma omp parallel for simd linear(k : 2)
  for (int i = n; i < from; ++i) a[k] = 1;
  report("none", k);
#pragma omp parallel
  {
#pragma omp for simd linear(k : 1)
    for (int i = 0; i < n; ++i) b[i] += k;
  }
  report("region", b, n);
  report("last", k);
  // Of each thread's copies the one of the last iteration.
#pragma omp parallel
  {
#pragma omp for simd linear(k : step)
    for (int i = from; i < n; ++i) a[i] -= k++;
  }
  report("step", a, n);
  report("last", k);
  // Its loop stays plain, and so does the region.
// REMARK: loop_linear.cpp:[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: clause 'linear' for something
#pragma omp parallel
  {
#pragma omp for simd linear(k : step)
    for (int i = 0; i < n; i += 3) b[i] = k;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = b[i];
  }
  report("not simple", a, n);
  report("last", k);
}

int main(int argc, char**) {
#pragma ompx managed(a)
  a = new double[2 * n + 8];
#pragma ompx managed(b)
  b = new double[2 * n + 8];
  for (int i = 0; i < 2 * n + 8; ++i) a[i] = b[i] = i % 13;
  forms(argc - 1, argc + 1);
  report("last", filled(argc, 2));
  report("last", filled(argc + 0UL, 3));
  delete[] a;
  delete[] b;
}
