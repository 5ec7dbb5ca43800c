/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parallel regions as C programs have them: counters and scratch variables declared at the top and private by clause.
 *
 * RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
 * RUN: %cc-link -O1 -std=c99 -pedantic -Wall -Wextra -Werror %s -o %t.muster && %run %t.muster > %t.actual
 * RUN: diff %t.expected %t.actual
 * RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 67
#pragma ompx managed(u, v)
static double u[N][N], v[N][N];

static void sweep(double (*restrict from)[N], double (*restrict to)[N]) {
  int i, j;
#pragma omp for schedule(static)
  for (i = 1; i < N - 1; i++)
    for (j = 1; j < N - 1; j++) to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(void) {
  int i, j, k, row, steps = 0, changed = 0;
  double tmp, error = 0, sum = 0, most = 0, mine;
#pragma ompx managed(a)
  double *a = malloc(N * N * sizeof(double));
  int *order;
#pragma ompx managed(order)
  order = malloc(N * sizeof(int));
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) u[i][j] = v[i][j] = a[i * N + j] = (i * 31 + j * 17) % 23;
#pragma omp parallel default(none) shared(u, v, a, order, error, sum, most, steps, changed) \
    private(i, j, k, row, tmp, mine)
  {
    for (k = 0; k < 6; k++) {
#pragma omp barrier
#pragma omp single
      {
        error = 0;
        steps++;
      }
      sweep(u, v);
#pragma omp for reduction(+ : error)
      for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
          tmp = v[i][j] - u[i][j];
          error += tmp * tmp;
          u[i][j] = v[i][j];
        }
    }
    mine = -1;
#pragma omp for private(row) nowait
    for (i = 0; i < N; i++) {
      row = i * N;
      order[i] = 0;
      for (j = 0; j < N; j++) {
        if (a[row + j] > 11) order[i]++;
        if (fabs(u[i][j]) > mine) mine = fabs(u[i][j]);
      }
      if (order[i] == 33) changed = 1;
    }
#pragma omp critical
    {
      if (mine > most) most = mine;
    }
#pragma omp for reduction(+ : sum)
    for (i = 0; i < N; i++) sum += order[i] * (i % 5);
  }
  printf("%d %.8g %g %.8g %d\n", steps, error, sum, most, changed);
  free(a);
  free(order);
  return 0;
}
