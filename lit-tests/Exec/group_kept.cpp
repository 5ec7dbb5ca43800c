// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of an iteration, one behind the other, that go along the same elements: where work-groups share them,
// work-items keep these from one loop to the next. Numbers are whole ones, so that sums of floats are exact.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -ffast-math -fplugin-arg-muster-strict -fplugin-arg-muster-print=kernels %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>
#include <initializer_list>

#pragma ompx managed(x, y, z, wide, table)
static float *x, *y, *z;
static double *wide;
static float table[40][700];

static void report(const char *name, long n, long m) {
  double sum = 0;
  for (long i = 0; i < n * m; ++i) sum = sum * 0.999 + y[i] + 3 * z[i] + 5 * wide[i];
  for (long i = 0; i < 40; ++i)
    for (long j = 0; j < 700; ++j) sum = sum * 0.999 + table[i][j];
  printf("%s %ld %ld %.17g\n", name, n, m, sum);
}

// What the second loop stores the third one stores again. The first loop leaves a step out.
// CHECK-LABEL: void muster_normalised_
// CHECK:       #if defined(MUSTER_GROUPS)
// CHECK:         float muster_kept0[32];
// CHECK-NEXT:    float muster_kept1[32];
// CHECK:         muster_kept0[muster_t] = x[(long)j + (long)(i * m)];
// CHECK:         if (muster_e >= 1) {
// CHECK-NEXT:    most = muster_kept0[muster_t] > most ? muster_kept0[muster_t] : most;
// CHECK-NOT:     y[{{.*}}] = muster_kept1[muster_t];
// CHECK:         muster_kept1[muster_t] = most - muster_kept0[muster_t];
// CHECK-NEXT:    sum += muster_kept1[muster_t];
// CHECK:         muster_kept1[muster_t] += sum;
// CHECK-NEXT:    y[i * m + {{j.*}}] = muster_kept1[muster_t];
static void normalised(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float most = x[i * m], sum = 0;
    for (int j = 1; j < m; ++j) most = x[i * m + j] > most ? x[i * m + j] : most;
    for (int j = 0; j < m; ++j) {
      y[i * m + j] = most - x[i * m + j];
      sum += y[i * m + j];
    }
    for (int j = 0; j < m; ++j) y[i * m + j] += sum;
  }
}

// In place, by pointers to rows, of doubles: one array of them is kept.
// CHECK-LABEL: void muster_in_place_
// CHECK:         double muster_kept0[32];
// CHECK:         muster_kept0[muster_t] = wide[
// CHECK-NOT:     muster_kept1
// CHECK:         muster_kept0[muster_t] = muster_kept0[muster_t] * 0.5 + sum;
// CHECK-NEXT:    row[{{j.*}}] = muster_kept0[muster_t];
static void in_place(long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    double *row = wide + i * m;
    const float *from = x + i * m;
    double sum = 0, other = 0;
    for (long j = 0; j < m; ++j) sum += row[j];
    for (long j = 0; j < m; ++j) other += row[j] * from[j];
    sum = (long)(sum - other) % 64;
    for (long j = 0; j < m; ++j) row[j] = row[j] * 0.5 + sum;
  }
}

// Elements that something else names as well stay in memory, as do those that are stored under a condition.
// CHECK-LABEL: void muster_named_
// CHECK:         float muster_kept0[32];
// CHECK-NOT:     muster_kept1
// CHECK:         muster_kept0[muster_t] = x[
// CHECK-NOT:     = y[(long)
// CHECK:       #else
static void named(long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float sum = 0;
    for (long j = 0; j < m; ++j) y[i * m + j] = x[i * m + j] - 3, z[i * m + j] = 2;
    for (long j = 0; j < m; ++j) sum += y[i * m + j] + z[i * m + j];
    for (long j = 0; j < m; ++j)
      if (x[i * m + j] > 4) z[i * m + j] = sum;
    y[i * m] += z[i * m] + x[i * m + m - 1];
  }
}

// Every second element, and steps that go on early; the first loop's store is asked for by nobody else.
static void strided(long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float even = 0, odd = 0;
    for (long j = 0; j < m / 2; ++j) {
      z[i * m + 2 * j + 1] = x[i * m + 2 * j];
      even += x[i * m + 2 * j] + z[i * m + 2 * j + 1];
    }
    for (long j = 0; j < m / 2; ++j) {
      if (x[i * m + 2 * j + 1] > 7) continue;
      odd += x[i * m + 2 * j] * 2 - x[i * m + 2 * j + 1] + z[i * m + 2 * j + 1];
    }
    y[i * m] = even - odd;
  }
}

// Rows of a table, and a loop over other elements between.
static void rows(long n, long m) {
#pragma omp parallel for
  for (int i = 0; i < 40; ++i) {
    float sum = 0, rest = 0;
    for (int j = 0; j < 700; ++j) sum += table[i][j];
    for (int j = 0; j < m; ++j) rest += x[j];
    sum = (int)(sum + rest) % 16;
    for (int j = 0; j < 700; ++j) table[i][j] = (int)(table[i][j] + sum) % 50;
  }
}

// The same array by two names.
static void between(const float *from, float *to, long n, long m) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    float sum = 0;
    for (long j = 0; j < m; ++j) sum += from[i * m + j];
    sum = (int)sum % 8;
    for (long j = 0; j < m; ++j) to[i * m + j] = from[i * m + j] - sum;
    for (long j = 0; j < m; ++j) to[i * m + j] += from[i * m + j];
  }
}

int main() {
  const long most = 2 * 20000 + 40 * 1100;
  x = new float[most], y = new float[most], z = new float[most], wide = new double[most];
  for (long i = 0; i < most; ++i) x[i] = i * 7 % 13, y[i] = 0, z[i] = i % 5, wide[i] = i * 11 % 89;
  for (long i = 0; i < 40 * 700; ++i) table[i / 700][i % 700] = i % 21;
  for (long m : {20000, 1100, 1024, 642, 64, 2}) {
    const long n = m == 20000 ? 2 : 40;
    normalised(n, m), report("normalised", n, m);
    in_place(n, m), report("in place", n, m);
    named(n, m), report("named", n, m);
    strided(n, m), report("strided", n, m);
    rows(n, m), report("rows", n, m);
    between(x, y, n, m), report("between", n, m);
    between(z, z, n, m), report("one array", n, m);
  }
  delete[] x;
  delete[] y;
  delete[] z;
  delete[] wide;
}
