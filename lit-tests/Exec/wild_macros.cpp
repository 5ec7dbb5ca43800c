// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros for constants, indexes and maxima in bodies, heads and clauses; a body may end in one. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-print=plan %s -o %t.muster 2> %t.said | FileCheck %s
// RUN: count 0 < %t.said
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// CHECK-COUNT-5: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include "Inputs/wild_report.h"

#define ROWS 12
#define COLUMNS (20)
#define AT(i, j) ((i)*COLUMNS + (j))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SCALE 1.5
#define FOR_COLUMNS(j) for (int j = 0; j < COLUMNS; ++j)

int main() {
#pragma ompx managed(a, b)
  double *a = new double[ROWS * COLUMNS], *b = new double[ROWS * COLUMNS];
  fill(a, ROWS * COLUMNS);
#pragma omp parallel for
  for (int i = 0; i < ROWS * COLUMNS; i++) b[i] = a[i] * SCALE;
  report("ends in a macro", b, ROWS * COLUMNS);
#pragma omp parallel for
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) b[AT(i, j)] += a[AT(i, COLUMNS - 1 - j)];
  report("indexes", b, ROWS * COLUMNS);
#pragma omp parallel for
  for (int i = 0; i < ROWS; i++) FOR_COLUMNS(j) b[AT(i, j)] = MAX(b[AT(i, j)], a[AT(i, j)]);
  report("inner loop", b, ROWS * COLUMNS);
#define LOW 3
#define HIGH 90
#define STEP 2
#pragma omp parallel for
  for (int i = LOW; i < HIGH; i += STEP) b[i + STEP] += LOW;
  report("bounds", b, ROWS * COLUMNS);
#pragma omp parallel for schedule(static, LOW)
  for (int i = HIGH; i > LOW; i--) a[i] = i + STEP;
  report("downwards", a, ROWS * COLUMNS);
  delete[] a;
  delete[] b;
}
