// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a nest that are right on devices only if their arrays share no elements, over parts of one array, as the
// levels of a multigrid method are. Where parts overlap, the loop steps back. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t
// RUN: %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2> %t.report | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: FileCheck %s < %t.report
// CHECK-NOT: this loop runs
#include "Inputs/loop_report.h"

static const int n = 24, cells = n * n;

// The inner loop's iterations may be given to work-items of their own only if `to` is not `from`.
__attribute__((noinline)) static void coarsen(double* to, const double* from, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) to[i * columns + j] = from[2 * i * columns + j] + from[(2 * i + 1) * columns + j] / 2;
}

// An iteration of the inner loop reads what the next one writes if `to` is `from`.
__attribute__((noinline)) static void shift(double* to, const double* from, int rows, int columns) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns - 1; ++j) to[i * columns + j] = from[i * columns + j + 1] * 2;
}

// The same, for parts that overlap.
__attribute__((noinline)) static void shiftOverlapping(double* to, const double* from, int rows, int columns) {
// CHECK: parts_of_one_array.cpp:[[#@LINE+1]]: this loop runs on rank 0's CPU: two of its arguments may share elements of one array
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns - 1; ++j) to[i * columns + j] = from[i * columns + j + 1] * 2;
}
// CHECK-NOT: this loop runs

int main() {
#pragma ompx managed(levels)
  double* levels = new double[3 * cells];
  for (int i = 0; i < 3 * cells; ++i) levels[i] = i * 37 % 101 / 7.0;
  coarsen(levels + cells, levels, n / 2, n);
  coarsen(levels + 2 * cells, levels + cells, n / 4, n);
  shift(levels, levels + 2 * cells, n, n);
  // The first element that is read lies right behind the last one that is written.
  shift(levels, levels + cells - 2, n, n);
  report("apart", levels, 3 * cells);
  shiftOverlapping(levels + cells, levels + cells, n, n);
  report("one", levels, 3 * cells);
  delete[] levels;
}
