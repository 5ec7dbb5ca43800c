/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A minimum or maximum with its place in C: pivots, structs with an operator of the user's. All loops are launched.
 *
 * RUN: %plain-c -O1 -w %s -o %t.plain -lm && env OMP_NUM_THREADS=1 %t.plain > %t.expected
 * RUN: %cc-link -O1 -std=c99 -pedantic -Wall -Wextra -Werror -fplugin-arg-muster-strict %s -o %t && %run %t | diff %t.expected -
 * RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
 * RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 90

struct entry {
  double value;
  int row;
};

static void larger(struct entry *into, const struct entry *from) {
  if (from->value > into->value || (from->value == into->value && from->row < into->row)) *into = *from;
}
#pragma omp declare reduction(pivot : struct entry : larger(&omp_out, &omp_in)) initializer(omp_priv = {-1, -1})

static int pivot(const double *a, int k, double *found) {
  int i, row = k;
  double max = fabs(a[k * N + k]);
#pragma omp parallel for private(i) shared(max, row)
  for (i = k + 1; i < N; i++) {
    if (fabs(a[i * N + k]) > max) {
#pragma omp critical
      {
        if (fabs(a[i * N + k]) > max) {
          max = fabs(a[i * N + k]);
          row = i;
        }
      }
    }
  }
  *found = max;
  return row;
}

static int regionPivot(const double *a, int k) {
  int i, row = -1, mine;
  double max = -1, own;
#pragma omp parallel private(i, mine, own)
  {
    own = -1;
    mine = -1;
#pragma omp for nowait
    for (i = k; i < N; i++) {
      if (fabs(a[i * N + k]) > own) {
        own = fabs(a[i * N + k]);
        mine = i;
      }
    }
#pragma omp critical
    if (own > max) {
      max = own;
      row = mine;
    }
  }
  return row;
}

int main(void) {
  int i, k;
  double found;
#pragma ompx managed(a)
  double *a = malloc(N * N * sizeof(double));
  struct entry best = {-1, -1};
  for (i = 0; i < N * N; i++) a[i] = (i * 7919 + 13) % 211 - 105;
  for (k = 0; k < N; k += 7) {
    int row = pivot(a, k, &found);
    printf("%d %g %d\n", row, found, regionPivot(a, k));
  }
#pragma omp parallel for reduction(pivot : best)
  for (i = 0; i < N; i++)
    if (fabs(a[i]) > best.value) {
      best.value = fabs(a[i]);
      best.row = i;
    }
  printf("%g %d\n", best.value, best.row);
  free(a);
  return 0;
}
