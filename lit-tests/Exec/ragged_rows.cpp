// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of lengths of their own, as of sparse matrices. Work-groups of devices load them together where each begins
// where the one before it ends, and where they are long; others are read as before. Matrices with few and many entries
// a row, empty rows, gaps between rows, rows in another order, entries that are skipped.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule,kernels %s -o %t.muster > %t.printed
// RUN: FileCheck %s < %t.printed
// RUN: FileCheck --check-prefix=TEXT %s < %t.printed
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>
#include <initializer_list>

// TEXT-LABEL: void muster_multiply_
// TEXT:       #if defined(MUSTER_TILES)
// TEXT-NEXT:  #define MUSTER_ELEMENTS 1024
// TEXT:         __local double muster_tile0[MUSTER_ELEMENTS + MUSTER_ELEMENTS / 32];
// TEXT:         const int muster_begin = start[i];
// TEXT:         if (muster_first < 0 || {{.*}} muster_end != muster_firsts[muster_lane + 1]) muster_apart = 1;
// TEXT:             muster_tile0[muster_e + (muster_e >> 5)] = value[k];
// TEXT-NEXT:        muster_tile1[muster_e + (muster_e >> 5)] = x[column[k]];
// TEXT:             sum += muster_tile0[muster_c] * muster_tile1[muster_c];
// TEXT:         if (muster_high == muster_low) {
// TEXT-NEXT:      for (int k = start[i]; k < start[i + 1]; k++) {
// TEXT-NEXT:        sum += value[k] * x[column[k]];
// CHECK-LABEL: schedule of muster_multiply_
// CHECK:         work-groups load rows together where these are long
static void multiply(const int *start, const int *column, const double *value, const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

// Names for what is read, entries that are skipped, bounds in front of the loop, and a second loop.
// TEXT-LABEL: void muster_largest_
// TEXT:         muster_tile1[muster_e + (muster_e >> 5)] = value[k];
// TEXT-NEXT:    muster_tile2[muster_e + (muster_e >> 5)] = x[(int)(column[k])];
// TEXT:         const double here = muster_tile1[muster_c] * muster_tile2[muster_c];
// CHECK-LABEL: schedule of muster_largest_
// CHECK:         work-groups load rows together where these are long
static void largest(const int *start, const int *column, const double *value, const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = n - 1; i >= 0; i--) {
    const long from = start[i], to = start[i + 1];
    double most = -1, diagonal = 0;
    for (long k = from; k < to; k++) {
      const int c = column[k];
      const double here = value[k] * x[c];
      if (c == i) {
        diagonal = value[k];
        continue;
      }
      if (here > most) most = here + column[k] + x[i];
    }
    for (int k = 0; k < 3; k++) most += diagonal / 2;
    y[i] += most;
  }
}

// Rows with an end of their own, without their first entries, and of another array's order.
// CHECK-LABEL: schedule of muster_parts_
// CHECK:         work-groups load rows together where these are long
// CHECK-LABEL: schedule of muster_parts_
// CHECK:         work-groups load rows together where these are long
static void parts(const int *start, const int *end, const int *order, const int *column, const float *weight, float *y,
                  int n, int skipped) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 1;
    for (int k = start[i] + skipped; k < end[i]; k++) sum = sum * 0.75f + weight[column[k]];
    y[i] = sum;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int row = order[i];
    float sum = 1;
    for (unsigned k = start[row]; k < (unsigned)end[row]; ++k) sum = sum * 0.75f + weight[column[k]] * k;
    y[i] += sum;
  }
}

// What the row decides, too, is each work-item's to read.
// CHECK-LABEL: schedule of muster_shifted_
// CHECK:         work-groups load rows together where these are long
// TEXT-LABEL: void muster_shifted_
// TEXT:         sum += muster_tile0[muster_c] * x[muster_tile1[muster_c] / 2 + i % 2];
static void shifted(const int *start, const int *column, const double *value, const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += value[k] * x[column[k] / 2 + i % 2];
    y[i] -= sum;
  }
}

// The end moves, the loop leaves early, or nothing lies along the rows: as before.
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     together
static void others(const int *start, const int *column, const double *value, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int end = start[i + 1];
    double sum = 0;
    for (int k = start[i]; k < end; k++) {
      sum += value[k];
      if (column[k] == 3) --end;
    }
    y[i] += sum;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) {
      if (column[k] == 5) break;
      sum += value[k];
    }
    y[i] += sum;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += k % 3;
    y[i] += sum;
  }
}

static void run(int n, int length, int vary) {
#pragma ompx managed(start, end, order)
  int *start = new int[n + 1], *end = new int[n], *order = new int[n];
  int entries = 0;
  for (int i = 0; i < n; i++) {
    start[i] = entries;
    entries += i % 11 == 4 && vary > 0 ? 0 : length + (vary > 0 ? i * 7 % vary : 0);
    end[i] = entries;
    order[i] = (int)(i * 17L % n);
  }
  start[n] = entries;
  int* column = new int[entries + 1];
#pragma ompx managed(value, x, y)
  double *value = new double[entries + 1], *x = new double[n + 1], *y = new double[n]();
#pragma ompx managed(weight, z)
  float *weight = new float[n], *z = new float[n]();
  for (int k = 0; k < entries; k++) column[k] = k * 31 % n, value[k] = k % 13 * 0.5;
  for (int i = 0; i <= n; i++) x[i] = i % 9 - 2;
  for (int i = 0; i < n; i++) weight[i] = (float)(i % 5);
  double hash = 0;
  multiply(start, column, value, x, y, n);
  for (int i = 0; i < n; i++) hash = hash * 0.875 + y[i];
  largest(start, column, value, x, y, n);
  for (int i = 0; i < n; i++) hash = hash * 0.875 + y[i];
  for (int skipped = 0; skipped < 2; skipped++) parts(start, end, order, column, weight, z, n, skipped);
  for (int i = 0; i < n; i++) hash = hash * 0.875 + z[i];
  shifted(start, column, value, x, y, n);
  others(start, column, value, y, n);
  for (int i = 0; i < n; i++) hash = hash * 0.875 + y[i];
  std::printf("%d rows of %d and up to %d more: %.17g\n", n, length, vary, hash);
  delete[] start, delete[] end, delete[] order, delete[] column, delete[] value;
  delete[] x, delete[] y, delete[] weight, delete[] z;
}

int main() {
  for (int n : {1, 127, 128, 129, 300})
    for (int length : {0, 1, 12, 13, 27, 64})
      for (int vary : {0, 9}) run(n, length, vary);
  run(70, 700, 30);
}
