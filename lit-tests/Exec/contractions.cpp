// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over a loop of elements that each miss one of two parallel axes. Work-groups load what a block of iterations
// reads into local memory. Whole blocks and parts of them, loops of any length, aligned or not.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cmath>
#include <cstdio>
#include <initializer_list>

template <class T>
static void report(const char *name, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.9999 + (double)data[i];
  printf("%s %.17g\n", name, sum);
}

template <class T>
static T *numbers(long count, int by) {
  T *data = new T[count];
  for (long i = 0; i < count; ++i) data[i] = (T)(i * by % 251 - 100);
  return data;
}

// CHECK-LABEL: schedule of muster_product_
// CHECK:         blocks of 8 x 8 x 1 iterations a work-item, what a loop reads in local memory
// CHECK-LABEL: schedule of muster_product_
// CHECK:         blocks of 4 x 8 x 1 iterations a work-item, what a loop reads in local memory
template <class T>
static void product(const T *a, const T *b, T *c, int n, int m, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      T sum = 0;
      for (int k = 0; k < l; ++k) sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// Each matrix the other way round, and one with itself; what is there is added to.
// CHECK-LABEL: schedule of muster_turned_
// CHECK:         blocks of 8 x 8 x 1 iterations a work-item, what a loop reads in local memory
static void turned(const float *a, const float *b, float *c, int n, int m, int l, float alpha, float beta) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = beta * c[i * m + j];
      for (int k = 0; k < l; ++k) sum += alpha * a[k * n + i] * b[j * l + k];
      c[i * m + j] = sum;
    }
}

// CHECK-LABEL: schedule of muster_itself_
// CHECK:         blocks of 4 x 8 x 1 iterations a work-item, what a loop reads in local memory
static void itself(const double *a, double *c, int n, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < l; ++k) sum += a[i * l + k] * a[j * l + k];
      if (i == j) sum += 1;
      c[i * n + j] = sum;
    }
}

// Rows by pointers, the loop's variable from outside, from another number to one that is included; it is read behind.
// CHECK-LABEL: schedule of muster_distances_
// CHECK:         blocks of 8 x 8 x 1 iterations a work-item, what a loop reads in local memory
static void distances(const float *x, const float *y, const float *weight, float *nearest, int n, int m, int l) {
  int k;
#pragma omp parallel for private(k)
  for (int i = 3; i < n; ++i)
    for (int j = 5; j < m; ++j) {
      const float *row = x + i * l;
      float sum = 0, least = 1e30f;
      for (k = 1; k <= l - 1; k++) {  // none where l is 0 or 1
        const float d = row[k] - y[j * l + k];
        sum += weight[k] * d * d + k;
        least = least < d ? least : d;
      }
      nearest[i * m + j] = sum + least * k;
    }
}

// CHECK-LABEL: schedule of muster_batch_
// CHECK:         axes j i e
// CHECK:         blocks of 8 x 8 x 1 iterations a work-item, what a loop reads in local memory
static void batch(const float (*a)[140][70], const float (*b)[70][130], float (*c)[140][130], int count) {
#pragma omp parallel for
  for (int e = 0; e < count; ++e)
    for (int i = 0; i < 140; ++i)
      for (int j = 0; j < 130; ++j) {
        float sum = 0;
        for (int k = 0; k < 70; ++k) sum += a[e][i][k] * b[e][k][j];
        c[e][i][j] = sum;
      }
}

// Every second row, numbers without fractions, minima of sums.
// CHECK-LABEL: schedule of muster_paths_
// CHECK:         blocks of 8 x 8 x 1 iterations a work-item, what a loop reads in local memory
static void paths(const int *a, const int *b, int *c, long n, long m, long l) {
#pragma omp parallel for collapse(2)
  for (long i = 1; i < n; i += 2)
    for (long j = 0; j < m; ++j) {
      int least = 1 << 30;
      for (long k = 0; k < l; ++k) {
        const int there = a[i * l + k] + b[k * m + j];
        if (there < least) least = there;
      }
      c[i * m + j] = least;
    }
}

// An element of both axes, one under a condition, one that the loop writes: no such blocks.
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     local memory
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     local memory
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     local memory
static void others(const float *a, const float *b, float *c, int n, int l) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k) sum += a[i * l + k] * b[k * n + j] + a[(i + j) % n * l + k];
      c[i * n + j] = sum;
    }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k) sum += a[i * l + k] > 0 ? a[i * l + k] * b[k * n + j] : 1;
      c[i * n + j] += sum;
    }
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < l; ++k) c[i * n + j] += a[i * l + k] * b[k * n + j];
}

// What several sums have in common is changed, in front of a store or in each step, and indexes follow variables of the
// iteration or the loop: other forms, or the same results.
static void common(const float *a, const float *b, float *c, int n, int m, int l, float alpha, bool square) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0, scale = alpha;
      for (int k = 0; k < l; ++k) sum += a[i * l + k] * b[k * m + j];
      if (square) {
        scale = scale * scale;
        c[i * m + j] = sum * scale;
      } else {
        c[i * m + j] = sum * scale;
      }
      {
        scale += 2;
        c[i * m + j] += scale;
      }
    }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = c[i * m + j], weight = 1;
      int p = 0;
      for (int k = 0; k < l; ++k) {
        const float x = a[i * l + k] * b[k * m + j];
        if (k & 1) {
          weight = -weight;
          sum += weight * x;
        } else {
          sum += x;
        }
      }
      int q = p++;
      c[i * m + j] = sum + q + p;
    }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m / 2; ++j) {
      const int pad = j / 2;
      float sum = 0;
      for (int k = 0; k < l / 4; ++k) {
        const int twice = 2 * k;
        sum += a[i * l + k + twice] * b[k * m + j + pad];
      }
      c[i * m + j] += sum;
    }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int k;
      float sum = 0;
      for (k = 0; k < l - k; ++k) sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] += sum + k;
    }
}

int main() {
#pragma ompx managed(a, b, c)
  float *a = numbers<float>(300 * 90, 37), *b = numbers<float>(300 * 90, 53), *c = numbers<float>(300 * 300, 11);
#pragma ompx managed(da, db, dc)
  double *da = numbers<double>(300 * 90, 37), *db = numbers<double>(300 * 90, 53), *dc = numbers<double>(300 * 300, 11);
#pragma ompx managed(ia, ib, ic)
  int *ia = numbers<int>(300 * 90, 37), *ib = numbers<int>(300 * 90, 53), *ic = numbers<int>(300 * 300, 11);
  for (int n : {70, 133, 260})
    for (int m : {128, 100, 255})
      for (int l : {64, 33, 7, 0}) {
        product(a, b, c, n, m, l), product(da, db, dc, n, m, l);
        report("product", c, n * m), report("double", dc, n * m);
        turned(a, b, c, n, m, l, 0.5f, 0.25f);
        report("turned", c, n * m);
        distances(a, b, a + 10000, c, n, m, l);
        report("distances", c, n * m);
        common(a, b, c, n, m, l, 0.5f, l > 8);
        report("common", c, n * m);
        paths(ia, ib, ic, n, m, l);
        report("paths", ic, n * m);
      }
  for (int l : {80, 13}) {
    itself(da, dc, 200, l);
    report("itself", dc, 200 * 200);
    others(a, b, c, 140, l);
    report("others", c, 140 * 140);
  }
#pragma ompx managed(left, right, result)
  float(*left)[140][70] = new float[3][140][70], (*right)[70][130] = new float[3][70][130],
  (*result)[140][130] = new float[3][140][130];
  for (int i = 0; i < 3 * 140 * 70; ++i) left[0][0][i] = i % 17;
  for (int i = 0; i < 3 * 70 * 130; ++i) right[0][0][i] = i % 19;
  batch(left, right, result, 3);
  report("batch", result[0][0], 3 * 140 * 130);
  delete[] a, delete[] b, delete[] c, delete[] da, delete[] db, delete[] dc, delete[] ia, delete[] ib, delete[] ic;
  delete[] left, delete[] right, delete[] result;
}
