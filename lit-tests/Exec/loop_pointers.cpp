// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers are values: swaps, rotations, copies, parameters, aliases; the plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-7: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <utility>
#include <vector>

#include "Inputs/loop_report.h"

static void step(double* to, const double* from, int n) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i) to[i] = (from[i - 1] + from[i + 1]) / 2;
}

static void scaleInPlace(double* a, double* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] *= 2;
    b[i] += 1;
  }
}

int main() {
  const int n = 1000;
#pragma ompx managed(u)
  double* u = new double[n];
#pragma ompx managed(v)
  double* v = new double[n];
#pragma ompx managed(w)
  double* w = new double[n];
  double* plain = new double[n];
  fill(u, n);
  fill(v, n, 2);
  fill(w, n, 3);
  fill(plain, n, 4);
  for (int t = 0; t < 5; ++t) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) v[i] = u[i - 1] + u[i + 1];
    std::swap(u, v);
  }
  report("swap", u, n);
  for (int t = 0; t < 4; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) w[i] = 0.5 * u[i] + 0.25 * v[i];
    double* old = u;
    u = v;
    v = w;
    w = old;
  }
  report("rotation u", u, n);
  report("rotation w", w, n);
  double* p = u;
  for (int t = 0; t < 4; ++t) step(t % 2 ? v : p, t % 2 ? p : v, n);
  report("parameters", v, n);
  step(plain, u, n);
  report("unmanaged target", plain, n);
  step(v, plain, n);
  report("unmanaged source", v, n);
  scaleInPlace(u, u, n);
  report("one array twice", u, n);
  scaleInPlace(u, u + n / 2, n / 2);
  report("two halves", u, n);
  double* middle = u + n / 2;
#pragma omp parallel for
  for (int i = -n / 2; i < n / 2; ++i) middle[i] += i;
  report("from the middle", u, n);
#pragma ompx managed(a)
  std::vector<double> a(n, 1.0);
#pragma ompx managed(b)
  std::vector<double> b(n, 2.0);
  for (int t = 0; t < 3; ++t) {
#pragma omp parallel for
    for (int i = 1; i < n; ++i) b[i] = a[i - 1] + t;
    a.swap(b);
    std::swap(a, b);
    std::swap(a, b);
  }
  report("vectors", a);
  for (int t = 0; t < 3; ++t) {
    u[t] = t;
    double* from = t == 1 ? u : v;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) from[i] = from[i] + t;
    v[5] += u[3];
  }
  report("host between u", u, n);
  report("host between v", v, n);
  delete[] u;
  delete[] v;
  delete[] w;
  delete[] plain;
}
