// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As objects_blocks.cpp, in C: the array's stand-in has its own name.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster 2> %t.warnings | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2> %t.warnings | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>
typedef struct { int n; double *e; double *f; } Block;
int main() {
  enum { nb = 4 };
  Block blocks[nb];
  for (int b = 0; b < nb; ++b) {
    blocks[b].n = 1000 * (b + 1);
    #pragma ompx managed(blocks[b].e)
    blocks[b].e = (double *)malloc(blocks[b].n * sizeof(double));
    #pragma ompx managed(blocks[b].f)
    blocks[b].f = (double *)malloc(blocks[b].n * sizeof(double));
  }
  for (int b = 0; b < nb; ++b) {
#pragma omp parallel for
    for (int i = 0; i < blocks[b].n; ++i) { blocks[b].e[i] = i; blocks[b].f[i] = 2.0 * i; }
  }
  double s = 0;
  for (int b = 0; b < nb; ++b) {
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < blocks[b].n; ++i) s += blocks[b].e[i] * blocks[b].f[i];
  }
  printf("%g\n", s);
}
