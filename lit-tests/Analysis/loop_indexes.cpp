// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Affine forms of indexes, and what has none.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck %s
#include <algorithm>
#include <cstddef>
#include <vector>

static inline int at(int i, int j, int width) { return i * width + j; }
static inline double &cell(double *a, int i) { return a[i + 7]; }

// CHECK-LABEL: loop {{[0-9]+}} in simple
// CHECK:   reads u[i - 1] at
// CHECK:   reads u[0] at
// CHECK:   reads u[n - 1] at
// CHECK:   writes v[2*i + 1] at
void simple(double *v, const double *u, int n) {
#pragma omp parallel for
  for (int i = 1; i < n; i++) v[2 * i + 1] = u[i - 1] + u[0] + u[n - 1];
}
// CHECK-LABEL: loop {{[0-9]+}} in flattened
// CHECK:   reads u[n*i + j + 3*n - 2] at
// CHECK:   reads u[n*p*i + p*j + 5] at
// CHECK:   writes v[n*i + j] at
void flattened(double *v, const double *u, int n, int p) {
#pragma omp parallel for collapse(2)
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++) v[at(i, j, n)] = u[(i + 3) * n + (j - 2)] + u[(i * n + j) * p + 5];
}
// CHECK-LABEL: loop {{[0-9]+}} in through
// CHECK:   reads u[m*i + 3] at
// CHECK:   reads u[m*i - 1] at
// CHECK:   reads u[i + 7] at
// CHECK:   writes u[i] at
void through(double *u, int m) {
#pragma omp parallel for
  for (int i = 1; i < m; i++) {
    double *row = u + i * m;
    const double *before = &row[-1];
    double &mine = *(u + i);
    mine = row[3] + *before + cell(u, i);
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in alternatives
// CHECK:   reads u[i] conditionally at
// CHECK:   reads u[i - 1] conditionally at
// CHECK:   reads u[i + 1] conditionally at
void alternatives(double *v, const double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int west = i == 0 ? i : i - 1;
    int east = i;
    if (i < n - 1) east = i + 1;
    v[i] = u[west] + u[east];
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in arrays
// CHECK:   array b: pointer to array of double[4][5] written
// CHECK:   array a: array of float[8] read
// CHECK:   array c: vector of int read
// CHECK:   reads a[8*i + 3] at
// CHECK:   reads c[i + 1] at
// CHECK:   writes b[20*i + 16] at
void arrays(double (*b)[4][5], const std::vector<int> &c) {
  float a[160][8];
#pragma omp parallel for
  for (int i = 0; i < 16; i++) b[i][3][1] = a[i][3] + c[i + 1];
}
// CHECK-LABEL: loop {{[0-9]+}} in inner
// CHECK:   inner k in [-1, 1]
// CHECK:   inner j in [i, n - 1]
// CHECK:   inner t in [i, i + 15]
// CHECK:   inner d in [1, 2*i]
// CHECK:   reads u[i + k] at
// CHECK:   reads u[j] at
// CHECK:   reads u[t] conditionally at
// CHECK:   reads u[d] conditionally at
void inner(double *v, const double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = -1; k <= 1; k++) s += u[i + k];
    for (int j = i; j < n; j++) s += u[j];
    for (int t = i; t < std::min(n, i + 16); t++) s += u[t];
    for (int d = 2 * i; d > 0; d -= 3) s += u[d];
    v[i] = s;
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in conditional
// CHECK:   reads u[i] at
// CHECK:   writes v[i] conditionally at
// CHECK:   reads u[i + 1] conditionally at
// CHECK:   reads u[i + 2] conditionally at
// CHECK:   writes w[i] conditionally at
void conditional(double *v, double *w, const double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (u[i] > 0) v[i] = 1;
    bool b = n > 3 && u[i + 1] > 0;
    if (b) continue;
    w[i] = u[i + 2];
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in unknown
// CHECK:   reads u[?] at {{[0-9]+}}: the index of 'u[index[i]]' is not an affine form of the loop variables
// CHECK:   writes v[?] at
// CHECK-LABEL: loop {{[0-9]+}} in unknown
// CHECK:   inner (? % 7) in [-6, 6]
// CHECK:   reads u[?]
// CHECK-NOT: reads u[
// CHECK:   writes v[(? % 7)] conditionally at
void unknown(double *v, const double *u, const int *index, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) v[i * i] = u[index[i]];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (u[k] < i) k++;
    v[k % 7] = 0;
  }
}
// A 32-bit unsigned difference may wrap, so the launch checks it; a 64-bit one ends in the same address.
// CHECK-LABEL: loop {{[0-9]+}} in wrapping
// CHECK:   reads u[i - 1] at
// CHECK:   writes v[i] at
// CHECK:   assumes i - 1 in [0, 4294967295]
// CHECK-LABEL: loop {{[0-9]+}} in wrapping
// CHECK:   reads u[i - 1] at
// CHECK-NOT: assumes
// CHECK-LABEL: loop {{[0-9]+}} in wrapping
// CHECK:   reads u[i - 1] at
// CHECK-NOT: assumes
void wrapping(double *v, const double *u, unsigned n, size_t m) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; i++) v[i] = u[i - 1];
#pragma omp parallel for
  for (unsigned i = 1; i < n; i++) v[i] = u[i - 1];
#pragma omp parallel for
  for (size_t i = 0; i < m; i++) v[i] = u[i - 1];
}
// A conversion that may change the value.
// CHECK-LABEL: loop {{[0-9]+}} in narrowing
// CHECK:   reads u[i] at
// CHECK:   assumes i in [-32768, 32767]
void narrowing(double *v, const double *u, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; i++) v[i] = u[(short)i];
}
// An element of a narrow type bounds itself: the planner need not take the whole array. Where arithmetic in a narrow type
// may wrap, the type is the bound.
// CHECK-LABEL: loop {{[0-9]+}} in narrowElements
// CHECK:   inner (any unsigned char) in [0, 255]
// CHECK:   inner (link[i]) in [0, 65535]
// CHECK:   inner (level[i]) in [-128, 127]
// CHECK:   inner k in [0, 254]
// CHECK:   reads u[65536*i + (link[i])] conditionally at
// CHECK:   reads u[(any unsigned char)] conditionally at
// CHECK:   writes v[256*i + (level[i]) + 128] conditionally at
// CHECK-NOT: assumes
void narrowElements(double *v, const double *u, const unsigned short *link, const signed char *level,
                    const unsigned char *count, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const unsigned char sum = count[i] + count[i + 1];
    v[256 * i + level[i] + 128] = u[65536 * i + link[i]] + u[sum];
    for (int k = 0; k < count[i]; k++) v[256 * i] += u[k];
  }
}
