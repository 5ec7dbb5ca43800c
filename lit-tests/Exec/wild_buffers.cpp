// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiny arrays, arrays allocated in loops, aliases, pointers to the middle, realloc, rotation. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <utility>
#include "Inputs/wild_report.h"
static void addto(double* a, const double* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] += b[i];
}
static void shiftc(double* a, double* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = b[i] * 2;
}
int main() {
  for (int n = 0; n < 6; n++) {
#pragma ompx managed(a)
    double* a = new double[n];
#pragma ompx managed(b)
    double* b = (double*)malloc(n * sizeof *b);
    fill(a, n);
    fill(b, n, 2);
    addto(a, b, n);
    addto(a, a, n);
    if (n > 1) addto(a, b + 1, n - 1);
    report("s", a, n);
    delete[] a;
    free(b);
  }
  for (int k = 0; k < 20; k++) {
    int n = 10 + k * 97;
#pragma ompx managed(v)
    std::vector<double> v(n, k);
#pragma ompx managed(w)
    std::vector<double> w(v);
#pragma omp parallel for
    for (int i = 0; i < n; i++) w[i] += v[i] + i;
    if (k % 5 == 0) report("v", w.data(), n);
  }
  int n = 1000;
#pragma ompx managed(x)
  double* x = (double*)aligned_alloc(64, n * sizeof(double));
  fill(x, n);
  double* mid = x + n / 2;
  addto(x, mid, n / 2);
  shiftc(mid, x, n / 2);
  shiftc(x + 1, x + 500, 499);
  report("x", x, n);
  double* y = x;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    x[i] += 1;
    y[i] *= 2;
  }
  report("x", x, n);
#pragma omp parallel for
  for (int i = 0; i < n / 2; i++) x[i] = y[n - 1 - i];
  report("rev", x, n);
  double *p = x, *q = x + n / 2;
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++) p[i] = q[i] + t;
    std::swap(p, q);
  }
  report("pq", x, n);
  x = (double*)realloc(x, 2 * n * sizeof(double));
#pragma omp parallel for
  for (int i = n; i < 2 * n; i++) x[i] = x[i - n];
  report("re", x, 2 * n);
  // rotation
#pragma ompx managed(u0)
  double* u0 = new double[n]();
#pragma ompx managed(u1)
  double* u1 = new double[n]();
#pragma ompx managed(u2)
  double* u2 = new double[n]();
  u1[n / 2] = 1;
  for (int t = 0; t < 30; t++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) u2[i] = 2 * u1[i] - u0[i] + 0.3 * (u1[i - 1] - 2 * u1[i] + u1[i + 1]);
    double* tmp = u0;
    u0 = u1;
    u1 = u2;
    u2 = tmp;
  }
  report("wave", u1, n);
  free(x);
  delete[] u0;
  delete[] u1;
  delete[] u2;
}
