// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C: tables of rows that are members, and tables that are passed to functions: all loops are distributed.
// RUN: %plain-c -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int n, m;
  int **cells, **next;
} Life;

static int neighbours(int **cells, int i, int j) {
  int count = 0;
  for (int di = -1; di <= 1; ++di)
    for (int dj = -1; dj <= 1; ++dj)
      if (di || dj) count += cells[i + di][j + dj];
  return count;
}

static void init(Life *life, int n, int m) {
  life->n = n, life->m = m;
#pragma ompx managed(life->cells)
  life->cells = (int **)malloc(n * sizeof(int *));
#pragma ompx managed(life->next)
  life->next = malloc(n * sizeof(int *));
  for (int i = 0; i < n; ++i) {
    life->cells[i] = calloc(m, sizeof(int));
    life->next[i] = calloc(m, sizeof(int));
  }
}

static void step(Life *life) {
#pragma omp parallel for
  for (int i = 1; i < life->n - 1; ++i)
    for (int j = 1; j < life->m - 1; ++j) {
      const int count = neighbours(life->cells, i, j);
      life->next[i][j] = count == 3 || (count == 2 && life->cells[i][j]);
    }
  int **other = life->cells;
  life->cells = life->next, life->next = other;
}

static long alive(const Life *life) {
  long count = 0;
#pragma omp parallel for reduction(+ : count)
  for (int i = 0; i < life->n; ++i)
    for (int j = 0; j < life->m; ++j) count += life->cells[i][j] * (i + 2 * j);
  return count;
}

static long picked(const Life *life, int **cells, const int *pick) {
  long count = 0;
#pragma omp parallel for reduction(+ : count)
  for (int i = 0; i < life->n; ++i)
    for (int j = 0; j < life->m; ++j) count += life->cells[pick[i]][j] * i + cells[pick[i] / 2][j];
  return count;
}

int main(void) {
  Life life;
  init(&life, 47, 31);
#pragma omp parallel for
  for (int i = 1; i < life.n - 1; ++i)
    for (int j = 1; j < life.m - 1; ++j) life.cells[i][j] = (i * 7 + j * j) % 3 == 0;
  for (int t = 0; t < 20; ++t) {
    step(&life);
    if (t % 5 == 0) printf("%ld\n", alive(&life));
  }
#pragma ompx managed(pick)
  int *pick = malloc(47 * sizeof(int));
  for (int i = 0; i < 47; ++i) pick[i] = i * 5 % 47;
  printf("%ld %ld\n", alive(&life), picked(&life, life.next, pick));
  for (int i = 0; i < life.n; ++i) free(life.cells[i]), free(life.next[i]);
  free(life.cells), free(life.next);
  return 0;
}
