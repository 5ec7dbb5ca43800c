// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that loops add up in the elements themselves: work-items that share loads have them in variables, if arrays
// share no elements. Loops that do not run, sums one after the other, and elements that are read besides.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s
#include <cstdio>
#include <initializer_list>

template <class T>
static void report(const char *name, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.9999 + (double)data[i];
  printf("%s %.17g\n", name, sum);
}

// CHECK-LABEL: schedule of muster_product_
// CHECK:         blocks of 8 x 8 x 1 iterations a work-item, what a loop reads in local memory
// KERNEL-LABEL: void muster_product_
// KERNEL: float muster_a0__0__0 = 0;
// KERNEL: c[i * m + j] = 0;
// KERNEL: c[i * m + j] += a[i * MUSTER_VALUE_1 + k] * b[k * m + j];
static void product(const float *a, const float *b, float *c, int n, int m, int l) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] = 0;
      for (int k = 0; k < l; ++k) c[i * m + j] += a[i * l + k] * b[k * m + j];
    }
}

// CHECK-LABEL: schedule of muster_scaled_
// CHECK:         blocks of 4 x 8 x 1 iterations a work-item, what a loop reads in local memory
static void scaled(const double *a, const double *b, double *c, int n, int m, int l, double alpha, double beta) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] *= beta;
      for (int k = 0; k < l; ++k) c[i * m + j] += alpha * a[k * n + i] * b[j * l + k];
    }
}

// Numbers of other types: each sum is rounded as the element is.
static void rounded(const double *a, const double *b, float *c, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] = 0.1;
      for (int k = 0; k < l; ++k) c[i * m + j] = c[i * m + j] * 0.75 + a[i * l + k] * b[k * m + j] / 3;
    }
}

static void bytes(const unsigned char *a, const unsigned char *b, unsigned char *c, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] = 300 + i;
      for (int k = 0; k < l; ++k) c[i * m + j] += a[i * l + k] * b[k * m + j];
    }
}

// Two sums one after the other, and a loop that ends early.
static void twice(const float *a, const float *b, float *c, int n, int m, int l) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] = i;
      for (int k = 0; k < l; ++k) c[i * m + j] += a[i * l + k] * b[k * m + j];
      for (int k = 0; k < l; ++k) c[i * m + j] -= a[i * l + k] * 0.5f;
      for (int k = 0; k < l; ++k) {
        if (c[i * m + j] > 40000) break;
        c[i * m + j] += b[k * m + j];
      }
    }
}

// The place changes, or other elements of the array are read: nothing becomes a variable.
// KERNEL-LABEL: void muster_moving_
// KERNEL-NOT: muster_a0
// KERNEL-LABEL: void muster_besides_
// KERNEL-NOT: muster_a0
// KERNEL: {{^}}}
static void moving(const float *a, float *c, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int at = i * m;
    c[at] = 1;
    for (int k = 0; k < m; ++k) c[at] += a[i + k], at = i * m + k;
  }
}
static void besides(const float *a, float *c, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    c[2 * i] = 1;
    for (int k = 0; k < m; ++k) c[2 * i] += a[k] * c[2 * i + 1];
  }
}

// Arrays of arrays, and one that is a part of another one: those run the other form.
#pragma ompx managed(rows, columns, made)
static float rows[140][30], columns[30][150], made[140][150];
static void nested() {
#pragma omp parallel for
  for (int i = 0; i < 140; ++i)
    for (int j = 0; j < 150; ++j) {
      made[i][j] = 2;
      for (int k = 0; k < 30; ++k) made[i][j] += rows[i][k] * columns[k][j];
    }
}

static void own(const float *a, float *c, int n, int m) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] = 3;
      for (int k = 0; k < 2; ++k) c[i * m + j] += a[i * m + j] * 2;
    }
}

template <class T>
static T *numbers(long count, int by) {
  T *data = new T[count];
  for (long i = 0; i < count; ++i) data[i] = (T)(i * by % 251 - 100);
  return data;
}

// Elements that conditions change, which may ask for others. What stands in a condition alone stays there.
// CHECK-LABEL: schedule of muster_limited_
// CHECK:         blocks of 4 x 1 x 1 iterations a work-item
// CHECK-LABEL: schedule of muster_chosen_
// CHECK:         no blocks of iterations: accesses depend on a condition
// KERNEL-LABEL: void muster_limited_
// KERNEL: const int muster_if{{.*}} = muster_v{{.*}} > 5 ? 1 : 0;
static void limited(const float *a, float *b, float *c, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    b[i] = a[i] * 0.5f - 3;
    if (b[i] < 0) b[i] = 0;
    c[i] -= b[i];
    if (a[i] > 5)
      c[i] = 1;
    else if (c[i] < -3)
      c[i] = -3;
  }
}
static void chosen(const float *a, float *b, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    if (a[i] > 2) b[i] = 4;
}

int main() {
#pragma ompx managed(a, b, c)
  float *a = numbers<float>(300 * 90, 37), *b = numbers<float>(300 * 90, 53), *c = numbers<float>(300 * 300, 11);
#pragma ompx managed(da, db, dc)
  double *da = numbers<double>(300 * 90, 37), *db = numbers<double>(300 * 90, 53), *dc = numbers<double>(300 * 300, 11);
#pragma ompx managed(ua, ub, uc)
  unsigned char *ua = numbers<unsigned char>(300 * 90, 37), *ub = numbers<unsigned char>(300 * 90, 53),
                *uc = numbers<unsigned char>(300 * 300, 11);
  for (int n : {70, 260})
    for (int m : {128, 255})
      for (int l : {64, 7, 0}) {
        product(a, b, c, n, m, l), report("product", c, n * m);
        scaled(da, db, dc, n, m, l, 0.5, 0.25), report("scaled", dc, n * m);
        rounded(da, db, c, n, m, l), report("rounded", c, n * m);
        bytes(ua, ub, uc, n, m, l), report("bytes", uc, n * m);
        twice(a, b, c, n, m, l), report("twice", c, n * m);
        own(c, c, n, 64), report("own", c, n * 64);
      }
  moving(a, c, 200, 40), report("moving", c, 200 * 40);
  besides(a, c, 300, 40), report("besides", c, 600);
  for (int i = 0; i < 140 * 30; ++i) rows[0][i] = i % 17, columns[0][i] = i % 19;
  nested(), report("nested", made[0], 140 * 150);
  delete[] a, delete[] b, delete[] c, delete[] da, delete[] db, delete[] dc, delete[] ua, delete[] ub, delete[] uc;
}
