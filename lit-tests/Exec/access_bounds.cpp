// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes and loop bounds beyond affine ones, on one and on three ranks: edges around a torus, tiles, red-black, flattened
// loops, loops in other orders than the array's, strides, counters. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_MIN_SHARE=0 %t.muster \
// RUN:   | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
#include <algorithm>
#include "Inputs/wild_report.h"
#define MIN(a, b) ((a) < (b) ? (a) : (b))

int main() {
  const int size = 40 * 30;
  int n = 40, m = 30, tile = 7;
#pragma ompx managed(u, v)
  double *u = new double[size], *v = new double[size]();
  fill(u, size);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      v[i * m + j] = u[(i + 1) % n * m + j] + u[(i - 1 + n) % n * m + j] + u[i * m + (j + 1) % m] + u[i * m + (j + m - 1) % m];
  report("v", v, size);
  // What goes out on one side comes in on the other.
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) u[(i + 3) % n * m + (j + 1) % m] = v[i * m + j];
  report("u", u, size);
#pragma omp parallel for collapse(2)
  for (int ii = 0; ii < n; ii += tile)
    for (int jj = 0; jj < m; jj += tile)
      for (int i = ii; i < MIN(ii + tile, n); i++)
        for (int j = jj; j < std::min(jj + tile, m); j++) v[i * m + j] = u[i * m + j] * 2 + j;
  report("v", v, size);
  for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + colour) % 2; j < m - 1; j += 2)
        v[i * m + j] = (v[(i - 1) * m + j] + v[(i + 1) * m + j] + v[i * m + j - 1] + v[i * m + j + 1]) / 4;
  }
  report("v", v, size);
#pragma omp parallel for
  for (int at = 0; at < n * m; at++) {
    int i = at / m, j = at % m;
    if (i > 0 && j < m - 1) u[i * m + j] = v[(i - 1) * m + j] + v[i * m + j + 1];
  }
  report("u", u, size);
  // Columns in parallel, and a nest in the other order.
#pragma omp parallel for
  for (int j = 0; j < m; j++)
    for (int i = 1; i < n; i++) u[i * m + j] += u[(i - 1) * m + j] * 0.5;
  report("u", u, size);
#pragma omp parallel for collapse(2)
  for (int j = m - 1; j >= 0; j--)
    for (int i = 0; i < n; i++) v[i * m + j] = u[(n - 1 - i) * m + j];
  report("v", v, size);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = i % 3; j < m; j += 3) v[i * m + j] = 1;
    for (int j = m - 1; j > 2; j -= tile - 3) v[i * m + j] += u[i * m + j] + i;
    for (int j = 1; j < m; j *= 2) v[i * m + j] += j;
  }
  report("v", v, size);
#pragma omp parallel for
  for (int i = 0; i < size / 2; i++) u[size - 1 - 2 * i] = v[i / 2] + v[i ^ 1] + v[(i * 7) % size] + v[std::abs(i - 90)];
  report("u", u, size);
#pragma omp parallel for
  for (int i = 0; i < size / 3; i++)
    for (int k = 0; k < 3; k++) v[3 * i + k] = u[std::max(0, std::min(size - 1, i - 2 + k))];
  report("v", v, size);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double *p = u + i * m;
    double sum = 0;
    for (int j = 0; j < m; j++) sum += *p++;
    int k = i * m;
    while (k < size && v[k] < 40) k += 2;
    v[i * m] = sum + (k < size ? 1 : 0);
  }
  report("v", v, size);
  delete[] u;
  delete[] v;
}
