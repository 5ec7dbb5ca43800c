// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops along rows, a row for each iteration: products, sums, distances, extrema. Work-groups of devices load long rows
// together. Rows of all lengths around those of a tile, and other numbers of rows than groups have.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule,kernels %s -o %t.muster > %t.printed
// RUN: FileCheck %s < %t.printed
// RUN: FileCheck --check-prefix=TEXT %s < %t.printed
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cmath>
#include <cstdio>
#include <initializer_list>

// TEXT:      #if defined(MUSTER_TILES)
// TEXT-NEXT: #define MUSTER_COLUMNS (64 / MUSTER_TILES)
// TEXT:        __local float muster_rows0[MUSTER_WG0 * (MUSTER_COLUMNS + 1)];
// TEXT:        __local float muster_rows1[MUSTER_COLUMNS];
// TEXT:        if (muster_begin <= muster_last) {
// TEXT:            if (muster_group + MUSTER_WG0 <= muster_hi_0) {
// TEXT:                int i = muster_row + (int)(muster_e * (MUSTER_WG0 * MUSTER_WG1 / MUSTER_COLUMNS));
// TEXT-NEXT:           muster_tile0_next[muster_e] = a[i * m + k];
// TEXT:            muster_tile1_next = x[k];
// TEXT:        do {
// TEXT-NEXT:     barrier(CLK_LOCAL_MEM_FENCE);
// TEXT:            sum += muster_tile0[muster_c] * muster_tile1[muster_c];
// TEXT:        if (muster_own >= muster_hi_0 || get_local_id(1) != 0) return;
// TEXT:      #else
// CHECK-LABEL: schedule of muster_product_
// CHECK:         work-groups load rows together where these are long
template <class T>
static void product(const T *a, const T *x, T *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    T sum = 0;
    for (int k = 0; k < m; ++k) sum += a[i * m + k] * x[k];
    y[i] = sum;
  }
}

// CHECK-LABEL: schedule of muster_spread_
// CHECK:         work-groups load rows together where these are long
template <class T>
static void spread(const T *a, T *y, int n, int m) {
#pragma omp parallel for
  for (int i = n - 1; i >= 0; i -= 2) {
    const T *row = &a[i * m];
    T sum = 0, most = -1;
    for (int k = 1; k < m; k++) {
      const T here = row[k];
      sum += row[k - 1];
      if (k % 5 == 2) continue;
      if (here > most) most = row[k];
    }
    if (i % 7 == 3) continue;
    for (int k = 0; k < 3; ++k) most += sum / m;
    y[i] = most;
  }
}

// CHECK-LABEL: schedule of muster_distance_
// CHECK:         work-groups load rows together where these are long
template <class T>
static void distance(const T *a, const T *b, T *y, int n, int m, int shift) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int at = i * m;
    T sum = 0;
    for (int k = 0; k < m - shift; k++) {
      const T d = a[at + k + shift] - b[at + k];
      sum += d * d;
    }
    y[i] = std::sqrt((double)sum);
  }
}

// By references: they are loaded as before.
// CHECK-LABEL: schedule of muster_referred_
// CHECK-NOT:     together
template <class T>
static void referred(const T *a, T *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    T sum = 0;
    for (int k = 0; k < m; k++) {
      const T &here = a[i * m + k];
      sum += here * (k % 3);
    }
    y[i] += sum;
  }
}

// As long as each row says: they are loaded as before.
// CHECK-LABEL: schedule of muster_triangle_
// CHECK-NOT:     together
template <class T>
static void triangle(const T *a, T *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    T sum = 0;
    for (int k = 0; k < (i < m ? i : m); k++) sum += a[i * m + k];
    y[i] = sum;
  }
}

// Rows of arrays of arrays, and of a plane of them.
#pragma ompx managed(table, sums)
static double table[70][130], sums[70];
#pragma ompx managed(planes)
static float planes[3][70][66];
// TEXT-LABEL: void muster_tables_
// TEXT:              muster_tile0_next[muster_e] = table[i][k];
// CHECK-LABEL: schedule of muster_tables_
// CHECK:         work-groups load rows together where these are long
// CHECK-LABEL: schedule of muster_tables_
// CHECK:         work-groups load rows together where these are long
static void tables(int plane) {
#pragma omp parallel for
  for (int i = 0; i < 70; i++) {
    double sum = 0;
    for (int k = 0; k < 130; k++) sum += table[i][k];
    sums[i] = sum;
  }
#pragma omp parallel for
  for (int i = 0; i < 70; i++) {
    double sum = sums[i];
    for (int k = 0; k < 66; k++) sum = sum * 0.5 + planes[plane][i][k];
    sums[i] = sum;
  }
}

template <class T>
static void run(const char *name, int n, int m) {
#pragma ompx managed(a, b, x, y)
  T *a = new T[n * m], *b = new T[n * m], *x = new T[m], *y = new T[n]();
  for (int i = 0; i < n * m; ++i) a[i] = (T)(i * 37 % 251), b[i] = (T)(i % 17);
  for (int k = 0; k < m; ++k) x[k] = (T)(k % 7);
  double hash = 0;
  const auto add = [&] {
    for (int i = 0; i < n; ++i) hash = hash * 0.875 + (double)y[i];
  };
  product(a, x, y, n, m), add();
  spread(a, y, n, m), add();
  distance(a, b, y, n, m, m > 3 ? 3 : 0), add();
  referred(a, y, n, m), add();
  triangle(a, y, n, m), add();
  std::printf("%s %d x %d %.17g\n", name, n, m, hash);
  delete[] a;
  delete[] b;
  delete[] x;
  delete[] y;
}

int main() {
  for (int n : {1, 31, 32, 65, 300})
    for (int m : {1, 31, 63, 64, 65, 130, 255, 256, 300}) {
      run<float>("float", n, m);
      run<double>("double", n, m);
      run<int>("int", n, m);
      run<short>("short", n, m);
    }
  for (int i = 0; i < 70 * 130; ++i) (&table[0][0])[i] = i * 37 % 251;
  for (int i = 0; i < 3 * 70 * 66; ++i) (&planes[0][0][0])[i] = (float)(i * 53 % 241);
  for (int plane = 0; plane < 3; ++plane) {
    tables(plane);
    for (int i = 0; i < 70; ++i) std::printf("%g ", sums[i]);
  }
}
