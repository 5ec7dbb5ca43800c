// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes and bounds that are not affine: a few cases, or a bracket; and what stays exact.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck %s
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

// CHECK-LABEL: loop {{[0-9]+}} in redBlack
// CHECK:   inner j in [0, w - 2]
// CHECK:   writes g[w*i + j] conditionally at
void redBlack(double *g, int h, int w, int c) {
#pragma omp parallel for
  for (int i = 1; i < h - 1; i++)
    for (int j = 1 + (i + c) % 2; j < w - 1; j += 2) g[i * w + j] = g[i * w + j - 1] + g[i * w + j + 1];
}
// The same with a sum that cannot be negative.
// CHECK-LABEL: loop {{[0-9]+}} in redBlack
// CHECK:   inner j in [1, w - 2]
void redBlack(double *g, int h, int w, unsigned c) {
#pragma omp parallel for
  for (int i = 1; i < h - 1; i++)
    for (int j = 1 + (i + c) % 2; j < w - 1; j += 2) g[i * w + j] = g[i * w + j - 1] + g[i * w + j + 1];
}
// Neighbours around the edge: cases along the split loop, one whole row within it. No remainder is needed at the launch,
// because a loop that has an iteration has a positive bound.
// CHECK-LABEL: loop {{[0-9]+}} in periodic
// CHECK:   inner ((j + 1) % m) in [0, m - 1]
// CHECK:   reads u[m*i + j + m] conditionally at
// CHECK:   reads u[m*i + j + m - n*m] conditionally at
// CHECK:   reads u[m*i + j - m + n*m] conditionally at
// CHECK:   reads u[m*i + j - m] conditionally at
// CHECK:   reads u[m*i + ((j + 1) % m)] conditionally at
// CHECK:   writes v[m*i + j] at
// CHECK-NOT: assumes
void periodic(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      v[i * m + j] = u[(i + 1) % n * m + j] + u[(i - 1 + n) % n * m + j] + u[i * m + (j + 1) % m];
}
// Farther ones, if there are as many elements.
// CHECK-LABEL: loop {{[0-9]+}} in farNeighbours
// CHECK:   reads u[i + 3] conditionally at
// CHECK:   reads u[i - n + 3] conditionally at
// CHECK:   reads u[i + n - 2] conditionally at
// CHECK:   reads u[i - 2] conditionally at
// CHECK:   assumes n in [3, 9223372036854775807]
// CHECK:   assumes n in [2, 9223372036854775807]
void farNeighbours(double *v, const double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) v[i] = u[(i + 3) % n] + u[(i + n - 2) % n];
}
// CHECK-LABEL: loop {{[0-9]+}} in inRange
// CHECK:   reads u[i] at
// CHECK:   reads u[i - 1] at
void inRange(double *v, const double *u, int n) {
#pragma omp parallel for
  for (int i = 1; i < n; i++) v[i] = u[i % n] + u[(i - 1) % n];
}
// Unsigned numbers: what may have wrapped is anything below the divisor.
// CHECK-LABEL: loop {{[0-9]+}} in wrapped
// CHECK:   inner (? % n) in [0, n - 1]
// CHECK:   reads u[(? % n)] conditionally at
void wrapped(double *v, const double *u, size_t n) {
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) v[i] = u[(i - 1) % n];
}
// A divisor that nothing is known of has to be positive.
// CHECK-LABEL: loop {{[0-9]+}} in hashed
// CHECK:   inner ((5*i + 3) % k) in [0, k - 1]
// CHECK:   assumes k in [1, 9223372036854775807]
void hashed(double *v, const double *u, int n, int k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) v[i] = u[(5 * i + 3) % k];
}
// CHECK-LABEL: loop {{[0-9]+}} in tiled
// CHECK:   inner (iteration of jj) in [0, (iterations of jj) - 1]
// CHECK:   inner i in [ii, ii + t - 1]
// CHECK:   inner j in [t*(iteration of jj), m - 1]
// CHECK:   writes c[m*i + j] conditionally at
void tiled(double *c, int n, int m, int t) {
#pragma omp parallel for
  for (int ii = 0; ii < n; ii += t)
    for (int jj = 0; jj < m; jj += t)
      for (int i = ii; i < MIN(ii + t, n); i++)
        for (int j = jj; j < std::min(jj + t, m); j++) c[i * m + j] = 1;
}
// An index that is taken apart and put together again.
// CHECK-LABEL: loop {{[0-9]+}} in flat
// CHECK:   reads u[idx - m] conditionally at
// CHECK:   writes v[idx] conditionally at
void flat(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int idx = 0; idx < n * m; idx++) {
    int i = idx / m, j = idx % m;
    if (i > 0) v[i * m + j] = u[(i - 1) * m + j];
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in flat3
// CHECK:   writes v[idx] at
// CHECK:   assumes m*p in [1, 9223372036854775807]
void flat3(double *v, int n, int m, int p) {
#pragma omp parallel for
  for (size_t idx = 0; idx < (size_t)n * m * p; idx++) {
    size_t i = idx / (m * p), r = idx % (m * p), j = r / p, k = r % p;
    v[(i * m + j) * p + k] = 1;
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in clamped
// CHECK-DAG:   reads u[j] conditionally at
// CHECK-DAG:   reads u[j - m + n*m] conditionally at
// CHECK-DAG:   reads u[m*i + j + m*k] conditionally at
// CHECK-DAG:   reads u[m*i + j + k] conditionally at
// CHECK-DAG:   reads u[m*i + m - 1] conditionally at
// CHECK:       writes v[m*i + j] at
void clamped(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = -2; k <= 2; k++) s += u[std::max(0, std::min(n - 1, i + k)) * m + j] + u[i * m + std::clamp(j + k, 0, m - 1)];
      v[i * m + j] = s;
    }
}
// An unknown number between bounds.
// CHECK-LABEL: loop {{[0-9]+}} in bins
// CHECK:   inner (c[i]) in [0, 255]
// CHECK:   inner (minimum) in [0, 15]
// CHECK:   reads t[(c[i])] conditionally at
// CHECK:   writes h[16*i + (minimum)] conditionally at
void bins(double *h, const double *t, const float *x, const unsigned char *c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) h[i * 16 + std::min(std::max((int)x[i], 0), 15)] = t[c[i]];
}
// CHECK-LABEL: loop {{[0-9]+}} in bits
// CHECK:   inner (i / 2) in [i, i] by 2
// CHECK:   inner (i % 8) in [0, 7]
// CHECK:   inner (i ^ j) in [i - j, i + j]
// CHECK:   reads a[(i / 2)] at
// CHECK:   reads a[i - (i % 8)] conditionally at
// CHECK:   reads a[(i % 8)] conditionally at
// CHECK:   reads a[2*i] at
// CHECK:   reads a[i - k] conditionally at
// CHECK:   reads a[-i + k] conditionally at
// CHECK:   writes b[(i ^ j)] conditionally at
// CHECK:   assumes j in [0, 9223372036854775807]
void bits(int *b, const int *a, int j, int k, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) b[i ^ j] = a[i >> 1] + a[i & ~7] + a[i & 7] + a[8 * i / 4] + a[abs(i - k)];
}
// Divisions have one value for each iteration, rounded towards zero, or down where bits are shifted out; where the sign
// of what is divided is not known, two.
// CHECK-LABEL: loop {{[0-9]+}} in coarse
// CHECK:   inner (i / 2) in [i, i] by 2
// CHECK:   inner ((i - 1) / 2) in [i - 1, i] by 2
// CHECK:   inner ((i + c) / m) in [i + c, i + m + c - 1] by m
// CHECK:   inner ((i - k) / 4) in [i - k, i - k] by 4
// CHECK:   inner ((i - n) / 3) in [i - n + 2, i - n + 2] by 3
// CHECK:   inner j in [(i / 2), i - 1]
// CHECK:   reads u[(i / 2) + 1] at
// CHECK:   reads u[((i - 1) / 2)] conditionally at
// CHECK:   reads u[((i + c) / m)] conditionally at
// CHECK:   reads u[((i - k) / 4)] at
// CHECK:   reads u[((i - n) / 3) + n] at
// CHECK:   reads u[j] at
// CHECK:   assumes m in [1, 9223372036854775807]
void coarse(double *v, const double *u, int n, int m, int c, int k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    v[i] = u[i / 2 + 1] + u[(i - 1) / 2] + u[(i + c) / m] + u[(i - k) >> 2] + u[(i - n) / 3 + n];
    for (int j = i / 2; j < i; j++) v[i] += u[j];
  }
}
// A matrix as one loop with a frame around it, and turned round: nothing is a guess.
// CHECK-LABEL: loop {{[0-9]+}} in framed
// CHECK:   inner (i / m) in [i, i] by m
// CHECK:   reads u[i + 2*(i / m) + 1] at
// CHECK:   reads u[n*i + (-n*m + 1)*(i / m)] at
void framed(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n * m; i++) v[i] = u[(i / m) * (m + 2) + i % m + 1] + u[(i % m) * n + i / m];
}
// Steps: exact, also where the loop stays in the body.
// CHECK-LABEL: loop {{[0-9]+}} in strides
// CHECK:   inner (iteration of j) in [0, (iterations of j) - 1]
// CHECK:   inner (iteration of j) in [0, (iterations of j) - 1]
// CHECK:   inner j in [i, m - 1]
// CHECK:   writes v[m*i + 3*(iteration of j) + 1] at
// CHECK:   writes v[m*i - s*(iteration of j) + m - 1] at
// CHECK:   writes v[m*i + j] at
void strides(double *v, int n, int m, int s) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < m; j += 3) v[i * m + j] = 1;
    for (int j = m - 1; j >= 2; j -= s) v[i * m + j] = 1;
    for (int j = m - 1; j >= i; --j) v[i * m + j] = 2;
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in strideOfDim
// CHECK:   dim j: int from 0 while < m step 2, found independent
// CHECK:   writes v[m*i + j] at
void strideOfDim(double *v, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j += 2) v[i * m + j] = 1;
}
// CHECK-LABEL: loop {{[0-9]+}} in windows
// CHECK:   inner j in [i - r, i + r]
// CHECK:   inner j in [(i / 2), i - 1]
// CHECK:   inner j in [i - r, (n / 2) - 1]
void windows(double *v, const double *u, int n, int r) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = MAX(0, i - r); j <= MIN(n - 1, i + r); j++) s += u[j];
    for (int j = i / 2; j < i; j++) s += u[j];
    for (int j = std::abs(i - r); j < n / 2; j++) s += u[j];
    v[i] = s;
  }
}
// Loops that count by themselves: bounded from where they start to what they are tested with.
// CHECK-LABEL: loop {{[0-9]+}} in counting
// CHECK:   inner (k) in [m*i, n - 1]
// CHECK:   inner (s) in [1, m - 1]
// CHECK:   reads u[(k)] conditionally at
// CHECK:   writes v[m*i + (s)] conditionally at
void counting(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = i * m;
    while (k < n && u[k] > 0) k += 2;
    for (int s = 1; s < m; s *= 2) v[i * m + s] = k;
  }
}
// A variable that is also decreased, and a loop that runs before its test.
// CHECK-LABEL: loop {{[0-9]+}} in notCounting
// CHECK:   reads u[?] conditionally at
// CHECK-NOT: reads u[
void notCounting(double *v, const double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int k = i, l = i;
    while (k < n) k += u[k] > 0 ? -1 : 1;
    do l++;
    while (l < n && u[l + n] > 0);
    v[i] = k + l;
  }
}
// One step in each iteration.
// CHECK-LABEL: loop {{[0-9]+}} in inductions
// CHECK:   inner j in [0, m - 1]
// CHECK:   inner l in [3, m - 1]
// CHECK:   reads u[m*i + j] at
// CHECK:   writes v[m*i - l + m + 2] at
void inductions(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double *p = u + i * m;
    double s = 0;
    for (int j = 0; j < m; j++) s += *p++;
    int at = (i + 1) * m;
    for (int l = 3; l < m; l++) {
      --at;
      v[at] = s;
    }
  }
}
// Not in each iteration, or more than one.
// CHECK-LABEL: loop {{[0-9]+}} in noInductions
// CHECK:   reads u[?]
// CHECK-NOT: reads u[
void noInductions(double *v, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double *p = u + i * m, *q = u;
    int k = 0;
    for (int j = 0; j < m; j++) {
      if (j & 1) continue;
      v[i] += u[k++];
    }
    for (int j = 0; j < m; j++)
      if (j > 3) v[i] += *p++;
    for (int j = 0; j < m; j++) v[i] += *q++ + *q++;
  }
}
// CHECK-LABEL: loop {{[0-9]+}} in weights
// CHECK:   array v: pointer of double written
// CHECK-NEXT: array u: pointer of double read
// CHECK-NEXT: scalar w by value
// CHECK-NOT: reads w
// CHECK-LABEL: loop {{[0-9]+}} in weights
// CHECK:   array w: array of double written
// CHECK:   array large: array of double read
void weights(double *v, const double *u, int n) {
  double w[3] = {0.25, 0.5, 0.25}, large[600];
  w[1] += n;
#pragma omp parallel for
  for (int i = 1; i < n - 1; i++)
    for (int k = 0; k < 3; k++) v[i] = w[k] * u[i + k - 1];
#pragma omp parallel for
  for (int i = 0; i < 3; i++) w[i] = large[i];
}
// Brackets of brackets do not grow without end.
// CHECK-LABEL: loop {{[0-9]+}} in hashing
// CHECK:   reads u[((value {{[0-9]+}}) % 64)] conditionally at
// CHECK:   writes v[i] at
#define MIX x ^= x >> 3, x += x >> 5, x |= x >> 1
void hashing(double *v, const double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    long x = i;
    MIX, MIX, MIX, MIX, MIX, MIX, MIX, MIX;
    v[i] = u[x % 64];
  }
}
