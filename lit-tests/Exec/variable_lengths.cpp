// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of variable length that a loop reads: the launch takes a copy along. All loops are launched (strict).
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster 2> %t.warnings | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2> %t.warnings | diff %t.expected -
// RUN: not grep 'runs on rank 0' %t.warnings
#include <cstdio>
int main(int argc, char**) {
  const int n = 3000, m = 5 + argc, k = 2 + argc;
#pragma ompx managed(x)
  double *x = new double[n];
  float v[m][k]; int idx[n]; const int off[2] = {1, 2};
  for (int a = 0; a < m; ++a) for (int b = 0; b < k; ++b) v[a][b] = a * b + 0.5f;
  for (int i = 0; i < n; ++i) idx[i] = (i * 7) % n;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { x[i] = off[1]; for (int b = 0; b < k; ++b) x[i] += v[i % m][b]; }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[idx[i]] += v[0][0] + idx[i];
  for (int a = 0; a < m; ++a) v[a][0] = 9;
#pragma omp parallel for shared(v)
  for (int i = 0; i < n; ++i) x[i] += v[i % m][0];
  double w[m][4][k];
  for (int a = 0; a < m; ++a)
    for (int b = 0; b < 4 * k; ++b) w[a][b / k][b % k] = a - b;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] -= w[m - 1][i % 4][k - 1] * 0.25;
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += x[i] * i;
  printf("%g\n", s);
}
