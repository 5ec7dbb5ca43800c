// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in C that give pointers and structs to functions of another file.
//
// RUN: %plain-c -O1 -w -ffp-contract=off %s %S/Inputs/unit_pointers_third.c -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-remarks=none -ffp-contract=off %s \
// RUN:   %S/Inputs/unit_pointers_third.c -o %t.muster
// RUN: %run timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl timeout 60 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 timeout 60 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 timeout 60 %t.muster 2>&1 | FileCheck %s
#include <stdio.h>
#include <stdlib.h>

struct point {
  double x, y;
};
void thirdPair(double *pair);
void thirdMove(struct point *p, const double *by);
struct point thirdMirror(struct point p);
void thirdRandom(int n, double *seed, double values[]);

int main(void) {
  const int n = 1200;
#pragma ompx managed(a)
  double *a = calloc(2 * n, sizeof(double));
#pragma ompx managed(p)
  struct point *p = calloc(n, sizeof(struct point));
  // CHECK-DAG: unit_pointers_c.c:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double seed = i, values[4];
    thirdRandom(4, &seed, values);
    thirdRandom(2, &seed, &a[2 * i]);
    a[2 * i] += values[i % 4];
  }
  struct point by = {0.5, 2};
  // CHECK-DAG: unit_pointers_c.c:[[@LINE+1]] ({{.*}}): 1 launch,
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    thirdPair(a + 2 * i);
    thirdMove(&p[i], &a[2 * i]);
    p[i] = thirdMirror(p[i]);
    p[i].x += thirdMirror(by).x;
    struct point own = by;
    thirdMove(&own, a + 2 * i);
    p[i].y += own.y;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[2 * i] * (i % 5) + a[2 * i + 1] + p[i].x - p[i].y * (i % 3);
  printf("%.17g\n", sum);
  free(a);
  free(p);
  return 0;
}
