// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays without a directive in distributed loops: those that are only read travel as copies, which follow what the
// program does to them; the others keep the loop on the host.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck --check-prefix=INFO %s
#include <cstdio>
#include <cstdlib>
#include <vector>

static double sum(const double *a, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += a[i];
  return total;
}

// INFO-DAG: storage_unmanaged.cpp:[[@LINE+2]]: this loop runs with copies of arrays that are not managed (x), compared at every launch; marking them is cheaper
static void add(double *y, const double *x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] += 2 * x[i];
}
static void smooth(double *y, const double *x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = (i > 0 ? x[i - 1] : 0) + x[i] + (i < n - 1 ? x[i + 1] : 0);
}
static void fromOne(double *y, const float *x, int n) {
#pragma omp parallel for
  for (int i = 1; i <= n; ++i) y[i - 1] = x[i] + 3 * x[n + 1 - i];
}
// INFO-DAG: storage_unmanaged.cpp:[[@LINE+2]]: this loop runs on rank 0's CPU: its argument index does not point into a managed array
static void gather(double *y, const double *x, const int *index, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = x[index[i]];
}
static void writes(double *y, double *x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = y[i] + i;
}

int main() {
  const int n = 1009;
#ifdef __MUSTER__
#pragma omp managed(y)
#endif
  double *y = (double *)calloc(n, sizeof(double));
  std::vector<double> x(n, 0.5);
  for (int t = 0; t < 5; ++t) {
    add(y, x.data(), n);
    x[t * 200] += t;
    if (t == 3) x.assign(n, 4);
  }
  std::printf("%g\n", sum(y, n));
  smooth(y, x.data(), n);
  std::printf("%g\n", sum(y, n));
  for (int m : {1, 2, 100, 1000}) {
    std::vector<float> one(m);
    for (int i = 0; i < m; ++i) one[i] = i + m;
    fromOne(y, one.data() - 1, m);
    std::printf("%g\n", sum(y, n));
  }
  std::vector<int> index(n);
  for (int i = 0; i < n; ++i) index[i] = (i * 7) % n;
  gather(y, x.data(), index.data(), n);
  writes(y, x.data(), n);
  add(y, x.data(), n);
  std::printf("%g %g\n", sum(y, n), sum(x.data(), n));
  for (int k = 0; k < 50; ++k) {
    double *fresh = (double *)malloc((10 + k) * sizeof(double));
    for (int i = 0; i < 10 + k; ++i) fresh[i] = i * k;
    add(y, fresh, 10 + k);
    free(fresh);
  }
  std::printf("%g\n", sum(y, n));
  free(y);
}
