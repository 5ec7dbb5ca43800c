// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local pointers to rows: chosen by a condition, also of several tables, null where there is no row, exchanged in the
// body, in members and in functions. All loops are distributed; exchanging by std::swap keeps one on CPUs.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs on rank 0
#include <cstdio>
#include <cstdlib>
#include <utility>
struct Grid {
  double **u, **v;
};
static double edge(double** u, double** v, int i, bool left) { return (left ? u[i] : v[i])[0] + *(left ? *u : v[1]); }

int main() {
  const int n = 53, m = 17;
#pragma ompx managed(a)
  double** a = (double**)malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i) a[i] = (double*)calloc(m, sizeof **a);
#pragma ompx managed(b)
  double** b = (double**)malloc(n * sizeof *b);
  for (int i = 0; i < n; ++i) b[i] = (double*)calloc(m, sizeof **b);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = i * m + j;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double* r = i % 2 ? a[i] : a[n - 1 - i];
    for (int j = 0; j < m; ++j) b[i][j] = r[j];
  }
#pragma omp parallel for
  for (int i = 1; i < n; ++i) {
    const double* up = a[i - 1];
    const double* const here = *(a + i);
    const double* down;
    down = i + 1 < n ? a[i + 1] : nullptr;
    if (!down) down = up;
    for (int j = 0; j < m; ++j) b[i][j] = up[j] + here[j] + down[j];
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    double *p = a[i - 1], *q = a[i];
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < m; ++j) b[i][j] += p[j] - 2 * q[j];
      double* t = p;
      p = q;
      q = t;
    }
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    double *p = a[i - 1], *q = a[i];
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < m; ++j) b[i][j] += p[j] - 2 * q[j];
      std::swap(p, q);
    }
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    double* p = a[i - 1];
    if (i % 3 == 0) p = b[i];
    for (int j = 0; j < m; ++j) b[i][j] += p[j];
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    double* p = i % 3 == 0 ? a[i] : b[i];
    for (int j = 0; j < m; ++j) p[j] += j;
  }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 0; j < m; ++j) b[i][j] += (j % 2 ? a[i] : a[i - 1])[j] + *(i ? a[i] : a[1]);
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 0; j < m; ++j) {
      double& x = b[i][j];
      double* y = &a[i][j];
      x += *y + i[a][j];
    }
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    double *r = &a[i][0], *s = &(*a)[3];
    auto q = a[i];
    auto* z = a[i - 1];
    for (int j = 0; j < m; ++j) b[i][j] += r[j] + q[j] + z[j] + s[0];
  }
  Grid g = {a, b};
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) {
    const double *low = i % 2 ? g.u[i - 1] : *(g.u + i), *none = i > 4 ? g.u[i] : nullptr;
    for (int j = 0; j < m; ++j) {
      const double* from = j < 3 ? low : j < 6 ? g.u[i + 1] : *g.u;
      g.v[i][j] += from[j] + edge(g.u, a, i, j % 2) + (none ? none[j] : 1);
    }
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) s += a[i][j] * (i % 5 + j) + b[i][j];
  std::printf("%.12g\n", s);
}
