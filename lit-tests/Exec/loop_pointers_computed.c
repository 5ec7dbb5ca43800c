// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over pointers that start from an element of a table.
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | grep -c "for all devices" | grep -x 2
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %cc -w -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | grep -c "uses 'p', whose type is declared inside the function" | grep -x 1
#include <stdio.h>
#include <stdlib.h>

struct level {
  double *first, *last;
};

int main(void) {
  const int n = 1003;
#pragma ompx managed(a)
  double *a = malloc(n * sizeof *a);
  double *rows[3] = {a, a + 100, a + 650};
  struct level levels[2] = {{a + 3, a + 50}, {a + 400, a + 977}};
  for (int i = 0; i < n; i++) a[i] = i % 17;
  for (int k = 0; k < 2; k++) {
#pragma omp parallel for
    for (double *p = rows[k]; p < rows[k + 1]; p++) *p *= k + 2;
#pragma omp parallel for
    for (double *p = levels[k].first; p != levels[k].last; p++) *p += k + 5;
  }
  typedef struct {
    double x, y;
  } point;
#pragma omp parallel for
  for (point *p = (point *)rows[1]; p < (point *)rows[2]; p++) p->x += p->y;
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * (i % 13);
  printf("%g\n", sum);
  free(a);
}
