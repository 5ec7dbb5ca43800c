// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In C, native code stands in front of its function: an #include or #define in a branch that is not compiled has no
// meaning there, and none behind.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: %plain-c -w -DTAKEN %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -DTAKEN -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>
#define SCALE 2

int main(void) {
  const int n = 1000;
#ifdef NOWHERE
#include "nowhere.h"
#define SCALE 5
#else
#ifdef TAKEN
#undef SCALE
  int unused;
#define SCALE 3
#endif
#pragma ompx managed(a)
  double *a = malloc(n * sizeof(double));
#endif
#if 0
#define SCALE 7
#elif defined(NOWHERE)
#define SCALE 8
#endif
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = SCALE * i;
#if 0
#undef SCALE
#endif
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += SCALE;
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * (i % 3);
  printf("%g\n", sum);
  free(a);
  return 0;
}
