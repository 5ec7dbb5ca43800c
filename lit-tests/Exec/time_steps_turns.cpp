// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two loops that are steps of time and take turns: a stencil and the copy back, two stencils; and those that cannot be
// one, or where something comes in between.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && FileCheck --check-prefix=REPORT --input-file=%t.err %s
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_FUSE=off MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && not grep 'of them ran as steps' %t.err
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_INJECT=build-failure %t.muster 2>/dev/null | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env MUSTER_DEVICES=pocl MUSTER_TUNE=off \
// RUN:   MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

static void report(const char *name, int count, const float *a, const float *b) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 0.999 + a[i] + 3 * b[i];
  printf("%s %.17g\n", name, sum);
}

// KERNEL-LABEL: #define MUSTER_GUEST_STEP muster_heat_
// KERNEL: static float muster_heat_[[#]]_step({{.*}}, float muster_at_0, float muster_at_1, float muster_at_2, float muster_at_3)
// KERNEL: return w * (muster_at_0 + muster_at_1 + muster_at_2 + muster_at_3) + q[i * m + j];
// KERNEL: muster_made[muster_c] = MUSTER_GUEST_STEP;
static void heat(const float *u, float *v, const float *q, int n, int m, float w) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      v[i * m + j] = w * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]) + q[i * m + j];
}

static void copy(float *u, const float *v, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) u[i * m + j] = v[i * m + j];
}

static void copyAll(float *u, const float *v, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) u[i * m + j] = v[i * m + j];
}

// Two stencils, by pointers to rows.
static void both(int steps, int n, int m, float *u, float *v) {
  float **a = (float **)malloc(n * sizeof *a), **b = (float **)malloc(n * sizeof *b);
  for (int i = 0; i < n; ++i) a[i] = u + i * m, b[i] = v + i * m;
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j) b[i][j] = 0.2f * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j) a[i][j] = 0.2f * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]);
  }
  free(a), free(b);
}

// The other one's text has both: it needs corners, or reaches further. Both have arrays and scalars of their own.
static void star(const float *u, float *v, const float *q, int n, int m, float w, int k) {
#pragma omp parallel for
  for (int i = 2; i < n - 2; ++i)
    for (int j = 2; j < m - 2; ++j) {
      float s = u[i * m + j - 1] + u[(i + 1) * m + j];
      if (s > 50) s -= q[i * m + j] + k;
      v[i * m + j] = s * w;
    }
}

static void corners(float *u, const float *v, const float *q, const float *p, int n, int m, float w) {
#pragma omp parallel for
  for (int i = 2; i < n - 2; ++i)
    for (int j = 2; j < m - 2; ++j)
      u[i * m + j] = w * (v[(i - 1) * m + j - 1] + v[(i + 1) * m + j + 1] + v[(i - 1) * m + j + 1] + v[(i + 1) * m + j - 1]) + q[(i - 1) * m + j] - p[i * m + j];
}

static void wide(float *u, const float *v, int n, int m) {
#pragma omp parallel for
  for (int i = 2; i < n - 2; ++i)
    for (int j = 2; j < m - 2; ++j)
      u[i * m + j] = 0.25f * (v[(i - 2) * m + j] + v[(i + 2) * m + j] + v[i * m + j - 2] + v[i * m + j + 2]);
}

// Neither reads all that the other one reads.
static void up(const float *u, float *v, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) v[i * m + j] = 0.5f * (u[(i - 1) * m + j] + u[i * m + j]);
}

static void down(float *u, const float *v, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) u[i * m + j] = 0.5f * (v[(i + 1) * m + j] + v[i * m + j]);
}

// One place further: no step back.
static void shifted(float *u, const float *v, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) u[i * m + j + 1] = v[i * m + j + 1];
}

template <class Turn>
static void march(const char *name, int n, int m, int steps, Turn turn, int less = 0) {
#pragma ompx managed(u, v, q, p)
  float *u = (float *)malloc(sizeof(float) * n * m), *v = (float *)malloc(sizeof(float) * (n * m - less)),
        *q = (float *)malloc(sizeof(float) * n * m), *p = (float *)malloc(sizeof(float) * n * m);
  for (int i = 0; i < n * m; ++i) u[i] = i * 37 % 101, q[i] = i % 5, p[i] = i % 3;
  for (int i = 0; i < n * m - less; ++i) v[i] = i * 29 % 83;
  for (int step = 0; step < steps; ++step) turn(u, v, q, p, step);
  report(name, n * m - less, u, v);
  free(u), free(v), free(q), free(p);
}

int main() {
  for (const int n : {5, 33, 70})
    for (const int m : {7, 140}) {
      march("heat", n, m, 23, [=](float *u, float *v, float *q, float *, int) { heat(u, v, q, n, m, 0.2f), copy(u, v, n, m); });
      march("both", n, m, 1, [=](float *u, float *v, float *, float *, int) { both(20, n, m, u, v); });
    }
  const int n = 41, m = 67;
  march("corners", n, m, 21, [=](float *u, float *v, float *q, float *p, int) { star(u, v, p, n, m, 0.4f, 3), corners(u, v, q, p, n, m, 0.3f); });
  march("wide", n, m, 21, [=](float *u, float *v, float *q, float *, int) { star(u, v, q, n, m, 0.4f, 2), wide(u, v, n, m); });
  march("sides", n, m, 21, [=](float *u, float *v, float *, float *, int) { up(u, v, n, m), down(u, v, n, m); });
  march("other range", n, m, 21, [=](float *u, float *v, float *q, float *, int) { heat(u, v, q, n, m, 0.2f), copyAll(u, v, n, m); });
  march("shifted", n, m, 21, [=](float *u, float *v, float *q, float *, int) { heat(u, v, q, n, m, 0.2f), shifted(u, v, n, m); });
  march("shorter", n, m, 21, [=](float *u, float *v, float *q, float *, int) { heat(u, v, q, n, m, 0.2f), copy(u, v, n, m); }, m);
  march("scalars", n, m, 40, [=](float *u, float *v, float *q, float *, int step) { heat(u, v, q, n, m, step < 20 ? 0.2f : 0.3f), copy(u, v, n, m); });
  march("host", n, m, 60, [=](float *u, float *v, float *q, float *, int step) {
    heat(u, v, q, n, m, 0.2f), copy(u, v, n, m);
    if (step % 17 == 3) u[2 * m + 5] += 1, v[m + 1] = u[m + 2];
    if (step % 23 == 4) copy(u, v, n, m);
    if (step % 29 == 5) wide(v, u, n, m), wide(u, v, n, m);
  });
}
// REPORT: (muster_heat_{{[0-9]+}}): 301 launches
// REPORT: 150 of them ran as steps of
// REPORT: (muster_copy_
// REPORT: 144 of them ran as steps of
// REPORT: (muster_both_
// REPORT: 108 of them ran as steps of 30 launches
// REPORT: (muster_both_
// REPORT: 102 of them ran as steps of 30 launches
// REPORT: (muster_star_
// REPORT: of them ran as steps of
// REPORT: (muster_corners_
// REPORT: of them ran as steps of
// REPORT: (muster_wide_
// REPORT: of them ran as steps of
// REPORT: (muster_up_
// REPORT-NOT: of them ran
