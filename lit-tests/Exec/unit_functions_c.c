// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions and loops in C that call functions of another file.
//
// RUN: %plain-c -O1 -w -ffp-contract=off %s %S/Inputs/unit_functions_third.c -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -Wall -Wextra -Werror -Wno-unused-parameter -fplugin-arg-muster-remarks=none -ffp-contract=off %s \
// RUN:   %S/Inputs/unit_functions_third.c -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>

int thirdFactor(void);
int thirdNumber(void);
double thirdHalf(double x, int unused);

int main(void) {
  const int n = 1200;
#pragma ompx managed(a, b)
  double *a = calloc(n, sizeof(double)), *b = calloc(n, sizeof(double));
#pragma omp parallel num_threads(3)
  {
    const int factor = thirdFactor();
    // CHECK-DAG: unit_functions_c.c:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = factor * i;
  }
  // CHECK-DAG: unit_functions_c.c:[[@LINE+1]]: this loop runs with its whole team, {{.*}}: it calls 'thirdNumber', which
#pragma omp parallel num_threads(3)
  {
    const int thread = thirdNumber();
    for (int i = thread * n / 3; i < (thread + 1) * n / 3; ++i) b[i] = i;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += b[n - 1 - i];
  }
  // CHECK-DAG: unit_functions_c.c:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = thirdHalf(a[i], i) + thirdFactor();
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += b[i] * (i % 5);
  printf("%.17g\n", sum);
  free(a);
  free(b);
  return 0;
}
