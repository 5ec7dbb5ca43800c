// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes with divisions: coarser grids, frames, halves that several iterations share, numbers below zero, divisors that
// only the run knows. The plain program is the oracle; uneven parts cut pairs of iterations in two.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=3,1,5,2,1,4 %t.muster | diff %t.expected -
#include <cstdlib>
#include "Inputs/wild_report.h"

int main(int argc, char **) {
  int n = 101, m = 37, three = 2 + argc, below = -argc;
  const int size = n * m;
#pragma ompx managed(u, v, w)
  double *u = new double[size], *v = new double[size](), *w = new double[4 * size]();
#pragma ompx managed(hits)
  int *hits = new int[size]();
  fill(u, size);
  // A finer grid from a coarse one.
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      v[i * m + j] = 0.25 * (u[i / 2 * m + j / 2] + u[(i + 1) / 2 * m + j / 2] + u[i / 2 * m + (j + 1) / 2] +
                             u[(i + 1 >> 1) * m + (j + 1 >> 1)]);
  report("finer", v, size);
  // Below zero: division rounds towards zero, a shift down.
#pragma omp parallel for
  for (int i = below; i < n; i++)
    v[i + 1] = u[(i - 3) / 2 + 2] + u[(i - 9 >> 2) + 3] + u[(i - n) / 3 + n] + u[(i + below) / three + 1];
  report("below", v, size);
  // Each half is read and written by two iterations, of which one writes.
#pragma omp parallel for
  for (int i = 0; i < size; i++)
    if (i % 2 == 0) w[i / 2] = u[i] + u[i / three];
  report("half", w, size);
#pragma omp parallel for
  for (int i = 0; i < size; i++) {
#pragma omp atomic
    hits[(i + 5) / 7] += i % 11;
  }
  report("hits", hits, size);
  // Strides: every element, every second, with gaps.
#pragma omp parallel for
  for (int i = 0; i < size; i += 4) w[i / 4] += u[i / 2] + u[3 * i / 2 % size] + u[i / 8];
  report("strides", w, size);
#pragma omp parallel for
  for (int i = 0; i < size; i += 6) w[i / 3] = u[i];
  report("gaps", w, size);
  // A frame around each row, and the matrix turned round, in one loop.
#pragma omp parallel for
  for (int i = 0; i < size; i++) w[i / m * (m + 2) + i % m + 1] = u[i % m * n + i / m];
  report("frame", w, size);
  // Loops that begin or end at a half.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = i / 2; j < i / 2 + 3; j++) sum += u[j];
    for (int j = i / 3; j <= i; j++) sum += u[j * m / 2];
    for (unsigned j = 0; j < i / 2u; j++) sum += u[i * m / 2 + j / 3u];
    v[i * m + i / 3] = sum;
  }
  report("loops", v, size);
  delete[] u;
  delete[] v;
  delete[] w;
  delete[] hits;
}
