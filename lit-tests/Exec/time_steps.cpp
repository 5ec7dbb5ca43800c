// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of time, several of which run at once: boundaries that differ in both arrays, few rows and columns, rows that are
// aligned or not, and everything that the program may do between two steps.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && FileCheck --check-prefix=REPORT --input-file=%t.err %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_FUSE=off MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && not grep 'of them ran as steps' %t.err
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_INJECT=build-failure %t.muster 2>/dev/null | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env MUSTER_DEVICES=pocl MUSTER_TUNE=off \
// RUN:   MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env MUSTER_DEVICES=pocl MUSTER_TUNE=off \
// RUN:   MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s
#include <cstdio>
#include <cstdlib>
#include <utility>

template <class T>
static void report(const char *name, int rows, int columns, const T *a, const T *b) {
  double sum = 0;
  for (int i = 0; i < rows * columns; ++i) sum = sum * 0.999 + (double)a[i] + 3 * (double)b[i];
  printf("%s %d %d %.17g\n", name, rows, columns, sum);
}

template <class T>
static void fill(int count, T *a, T *b) {
  for (int i = 0; i < count; ++i) a[i] = (T)(i * 37 % 101), b[i] = (T)(i * 29 % 83);
}

// CHECK-LABEL: schedule of muster_jacobi_
// CHECK:         7 steps of time at once, where a and b change places
// KERNEL-LABEL: void muster_jacobi_
// KERNEL: , long muster_count_0
// KERNEL: #if defined(MUSTER_STEPS)
// KERNEL: muster_made[muster_c] = 0.25f * (MUSTER_AT(-1, 0) + MUSTER_AT(1, 0) + MUSTER_AT(0, -1) + MUSTER_AT(0, 1));
static void jacobi(const float *a, float *b, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      b[i * m + j] = 0.25f * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
}

// Corners, written out from loops; the range is narrower than what could be read.
// CHECK-LABEL: schedule of muster_nine_
// CHECK:         5 steps of time at once
static void nine(const double *a, double *b, int n, int m) {
#pragma omp parallel for
  for (int i = 2; i < n - 1; ++i)
    for (int j = 1; j < m - 3; ++j) {
      double s = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) s += a[(i + y) * m + j + x];
      b[i * m + j] = s * 0.1;
    }
}

// Another array, a condition, and a scalar.
// CHECK-LABEL: schedule of muster_hot_
// CHECK:         7 steps of time at once
static void hot(const float *a, float *b, const float *power, int n, int m, float w) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      const float here = a[i * m + j];
      float next = here + w * (power[i * m + j] + a[(i - 1) * m + j] + a[(i + 1) * m + j] - 2 * here);
      if (next > 90) next = 90 - a[i * m + j + 1] * 0.01f;
      b[i * m + j] = next;
    }
}

// Two rows and columns away.
// CHECK-LABEL: schedule of muster_far_
// CHECK:         3 steps of time at once
static void far(const int *a, int *b, int n, int m) {
#pragma omp parallel for
  for (int i = 2; i < n - 2; ++i)
    for (int j = 2; j < m - 2; ++j)
      b[i * m + j] = (a[(i - 2) * m + j] + a[(i + 2) * m + j] + 2 * a[i * m + j - 2] + a[i * m + j + 1]) & 1023;
}

// To one side only, and bytes.
// CHECK-LABEL: schedule of muster_side_
// CHECK:         7 steps of time at once
static void side(const unsigned char *a, unsigned char *b, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m - 1; ++j) b[i * m + j] = a[(i - 1) * m + j + 1] + a[i * m + j];
}

// It divides by what it reads, which may be anything at the edges of groups.
// CHECK-LABEL: schedule of muster_quotient_
// CHECK-NOT:     steps of time
static void quotient(const int *a, int *b, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) b[i * m + j] = a[(i - 1) * m + j] / (a[i * m + j] | 1) + a[i * m + j + 1];
}

// From one side, so that what neighbours' chunks compute is not what they read.
// CHECK-LABEL: schedule of muster_above_
// CHECK:         7 steps of time at once
static void above(const float *a, float *b, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < m; ++j) b[i * m + j] = 0.5f * a[(i - 1) * m + j] + 0.25f * a[(i - 1) * m + j - 1];
}

static void below(const float *a, float *b, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i)
    for (int j = 0; j < m - 1; ++j) b[i * m + j] = 0.5f * a[(i + 1) * m + j] + 0.25f * a[(i + 1) * m + j + 1];
}

// Rows that lie backwards, as it says or as it is called.
static void backwards(const float *a, float *b, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      b[(n - 1 - i) * m + j] = 0.25f * (a[(n - 2 - i) * m + j] + a[(n - i) * m + j] + a[(n - 1 - i) * m + j - 1] + a[(n - 1 - i) * m + j + 1]);
}

static void turned(const float *a, float *b, int n, int m) {
  const float *from = a + (n - 1) * m;
  float *to = b + (n - 1) * m;
  const int width = m, step = -m;
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < width - 1; ++j)
      to[i * step + j] = 0.25f * (from[(i - 1) * step + j] + from[(i + 1) * step + j] + from[i * step + j - 1] + from[i * step + j + 1]);
}

static void scale(float *a, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i * m + j] *= 0.5f;
}

template <class T, class Step>
static void march(const char *name, int n, int m, int steps, Step step) {
#pragma ompx managed(a, b)
  T *a = (T *)malloc(sizeof(T) * n * m), *b = (T *)malloc(sizeof(T) * n * m);
  fill(n * m, a, b);
  for (int s = 0; s < steps; ++s) {
    step(a, b, n, m);
    std::swap(a, b);
  }
  report(name, n, m, a, b);
  free(a);
  free(b);
}

static void marchHot(int n, int m, int steps) {
#pragma ompx managed(a, b, power)
  float *a = (float *)malloc(sizeof(float) * n * m), *b = (float *)malloc(sizeof(float) * n * m);
  float *power = (float *)malloc(sizeof(float) * n * m);
  fill(n * m, a, b);
  for (int i = 0; i < n * m; ++i) power[i] = i % 7;
  for (int s = 0; s < steps; ++s) {
    hot(a, b, power, n, m, s < 13 ? 0.1f : s < 24 ? 0.2f : 0.01f * s);
    std::swap(a, b);
    if (s == 30) power[m + 1] = 40;
  }
  report("hot", n, m, a, b);
  free(a), free(b), free(power);
}

// REPORT: muster_jacobi_
// REPORT: {{[0-9]+}} of them ran as steps of {{[0-9]+}} launches
static void interrupted(int n, int m, int every) {
#pragma ompx managed(a, b)
  float *a = (float *)malloc(sizeof(float) * n * m), *b = (float *)malloc(sizeof(float) * n * m);
  fill(n * m, a, b);
  double sum = 0;
  for (int s = 0; s < 90; ++s) {
    jacobi(a, b, n, m);
    std::swap(a, b);
    if (s % every != every - 1) continue;
    switch (s / every % 6) {
      case 0: sum += a[n / 2 * m + m / 2]; break;
      case 1: sum += b[n / 2 * m + m / 2]; break;
      case 2: a[m / 2] = s, b[(n - 1) * m + 1] = s + 1; break;
      case 3: a[n / 2 * m + m / 2] = s; break;
      case 4: scale(b, n, m); break;
      case 5: {
        float *c = (float *)malloc(sizeof(float) * n * m);
        for (int i = 0; i < n * m; ++i) c[i] = b[i];
        free(b);
        b = c;
      }
    }
  }
  printf("every %d: %.17g\n", every, sum);
  report("interrupted", n, m, a, b);
  free(a);
  free(b);
}

int main() {
  const int rows[] = {3, 5, 40, 150}, columns[] = {5, 130, 1031, 512};
  for (int size = 0; size < 4; ++size) {
    const int n = rows[size], m = columns[size];
    march<float>("jacobi", n, m, 33, jacobi);
    march<double>("nine", n, m, 33, nine);
    march<int>("far", n, m, 30, far);
    march<unsigned char>("side", n, m, 45, side);
    march<int>("quotient", n, m, 20, quotient);
    march<float>("above", n, m, 37, above);
    march<float>("below", n, m, 37, below);
    march<float>("backwards", n, m, 27, backwards);
    march<float>("turned", n, m, 27, turned);
    marchHot(n, m, 50);
  }
  for (int every : {3, 8, 10, 17, 25}) interrupted(37, 77, every);
}
