// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of storage in C, shared with a C++ unit in both directions. The plain program is the oracle.
//
// RUN: %plain -w -c %S/Inputs/c_other.cpp -o %t.other.plain.o
// RUN: %plain-c -w -c %s -o %t.plain.o && %plain %t.plain.o %t.other.plain.o -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster++ -O1 -c %S/Inputs/c_other.cpp -o %t.other.o
// RUN: %cc -O1 -std=c11 -pedantic -Wall -Wextra -Werror -c %s -o %t.o
// RUN: %muster-link %t.o %t.other.o -o %t && %run %t one two | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 41
#define RELEASE(p) do { free(p); (p) = NULL; } while (0)

#pragma ompx managed(grid, start)
double grid[N][7], start[5] = {1, 2, 3};
#pragma ompx managed(hidden)
static int hidden[300];

double *make(int n);           // in C++
double fold(const double *a, int n);
void release(double *a);

static int rounds(void) {
#pragma ompx managed(kept)
  static int kept[N];
  int i, sum = 0;
#pragma omp parallel for
  for (i = 0; i < N; i++) kept[i] += i;
  for (i = 0; i < N; i++) sum += kept[i];
  return sum + (int)sizeof kept;
}

static double local(int k) {
#pragma ompx managed(box)
  double box[N][3], s = 0;
#pragma ompx managed(first)
  float first[4] = {1, 2};
  memset(box, 0, sizeof box);
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 3; j++) box[i][j] += i * k + first[j];
  for (int i = 0; i < (int)(sizeof box / sizeof box[0]); i++) s += box[i][2] + box[i][0];
  return s;
}

int main(int argc, char *argv[]) {
  int i, n = 203;
#pragma ompx managed(a)
  double *a = calloc((size_t)n, sizeof *a);
#pragma ompx managed(b)
  double *b = aligned_alloc(64, 256 * sizeof *b);
  double *c = make(n);
  if (!a || !b) exit(2);
  (void)argc, (void)argv;
#pragma omp parallel for
  for (i = 0; i < N; i++)
    for (int j = 0; j < 7; j++) grid[i][j] = i + j + start[j % 5];
#pragma omp parallel for
  for (i = 0; i < 300; i++) hidden[i] = 3 * i;
#pragma omp parallel for
  for (i = 0; i < n; i++) {
    a[i] = hidden[i] + 0.5;
    b[i] = c[i] - 1;
    c[i] *= 2;
  }
  printf("%.10g %.10g %.10g %d\n", fold(a, n), fold(b, n), fold(c, n), hidden[299]);
  printf("%d %d %.10g %.10g\n", rounds(), rounds(), local(2), local(3));
  printf("%.10g %zu\n", fold(&grid[0][0], N * 7), sizeof grid);
  a = realloc(a, 2 * (size_t)n * sizeof *a);
  for (i = n; i < 2 * n; i++) a[i] = 1;
  printf("%.10g\n", fold(a, 2 * n));
  RELEASE(a);
  free(b);
  release(c);
  exit(0);
}
