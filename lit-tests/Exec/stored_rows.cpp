// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops along rows that store to rows, one behind the other, up and down: recurrences, eliminations, means. Work-groups
// load and store long rows together. Rows of all lengths around those of a tile, and other numbers of rows than groups
// have.
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

// What a step has stored is what the next one needs: it is carried. Nothing of `out` is loaded.
// TEXT-LABEL: void muster_smooth_
// TEXT:      #if defined(MUSTER_TILES)
// TEXT:        const int muster_owner = get_local_id(1) == 0 && muster_own < muster_hi_0;
// TEXT:        if (muster_owner) {
// TEXT-NEXT:     out[i * m] = in[i * m];
// TEXT:        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// TEXT-NOT:    muster_tile0_next
// TEXT:        if (muster_owner && muster_begin <= muster_last) {
// TEXT:          muster_carried0 = out[i * m + k - 1];
// TEXT:          muster_tile0[muster_c] = muster_carried0 / 2 + muster_tile1[muster_c];
// TEXT-NEXT:     muster_carried0 = muster_tile0[muster_c];
// TEXT:          out[i * m + k] = muster_rows0[
// TEXT:      #else
// CHECK-LABEL: schedule of muster_smooth_
// CHECK:         work-groups load rows together where these are long
template <class T>
static void smooth(const T *in, T *out, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    out[i * m] = in[i * m];
    for (int k = 1; k < m; ++k) out[i * m + k] = out[i * m + k - 1] / 2 + in[i * m + k];
  }
}

// Forwards and back.
// CHECK-LABEL: schedule of muster_solve_
// CHECK:         work-groups load rows together where these are long
template <class T>
static void solve(const T *a, const T *right, T *ratio, T *x, int n, int m) {
#pragma omp parallel for
  for (int i = n - 1; i >= 0; --i) {
    const int at = i * m;
    T *row = x + at;
    ratio[at] = 1 / (a[at] + 5);
    row[0] = right[at] / (a[at] + 5);
    for (int k = 1; k < m; k++) {
      const T scale = 1 / (a[at + k] + 5 - ratio[at + k - 1]);
      ratio[at + k] = scale;
      row[k] = (right[at + k] - row[k - 1]) * scale;
    }
    const T last = row[m - 1];
    for (int k = m - 2; k >= 0; --k) row[k] -= ratio[at + k] * row[k + 1];
    row[m - 1] = last + row[0];
  }
}

// Three loops over a row, of which two store; what stands between them is the owner's.
// CHECK-LABEL: schedule of muster_normal_
// CHECK:         work-groups load rows together where these are long
template <class T>
static void normal(const T *in, T *out, T *means, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i += 2) {
    T most = in[i * m];
    for (int k = 1; k < m; ++k) most = in[i * m + k] > most ? in[i * m + k] : most;
    T sum = 0;
    for (int k = 0; k < m; ++k) {
      out[i * m + k] = in[i * m + k] - most / 2;
      sum += out[i * m + k] * (k % 3);
    }
    means[i] = sum / m;
    const T mean = means[i];
    for (int k = m - 1; k > 0; k--) {
      if (k % 5 == 0) out[i * m + k] = 1;
      out[i * m + k] += mean;
    }
    means[i] += out[i * m];
  }
}

// Rows in place, of arrays of arrays.
#pragma ompx managed(table)
static double table[70][130];
// CHECK-LABEL: schedule of muster_tables_
// CHECK:         work-groups load rows together where these are long
static void tables() {
#pragma omp parallel for
  for (int i = 0; i < 70; i++)
    for (int k = 1; k < 130; k++) table[i][k] = table[i][k] * 0.5 + table[i][k - 1];
}

// The element in front of the first one is read now and then only, another row is read, some elements are not stored,
// and iterations may end early: as before.
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     together
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     together
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     together
// CHECK-LABEL: schedule of muster_others_
// CHECK-NOT:     together
static void others(const int *in, int *out, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) out[i * m + k] = (k > 0 ? out[i * m + k - 1] / 2 : 0) + in[i * m + k];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 1; k < m; k++) out[(2 * i) * m + k] = out[(2 * i) * m + k - 1] / 2 + out[(2 * i + 1) * m + k];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = 0; k < m; k++) {
      sum += in[i * m + k];
      if (sum % 3 != 0) out[i * m + k] = sum;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) continue;
    for (int k = 1; k < m; k++) out[i * m + k] = out[i * m + k - 1] / 2 + in[i * m + k];
  }
}

// What only owners know leads nowhere in other work-items: an index, how often a function goes round.
// CHECK-LABEL: schedule of muster_found_
// CHECK:         work-groups load rows together where these are long
static int steps(int value) {
  int count = 0;
  for (; value != 1; ++count) value = value % 2 ? 3 * value + 1 : value / 2;
  return count;
}
static void found(const int *in, const int *weights, int *out, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int at = 1 << 30, sum = 1;
    for (int k = 0; k < m; k++) {
      if (at == 1 << 30 && (in[i * m + k] > 200 || k == m - 1)) at = k;
      sum += in[i * m + k];
    }
    const int weight = weights[at], times = steps(sum % 1000 + 1);
    for (int k = 0; k < m; k++) out[i * m + k] = in[i * m + k] * weight + times;
  }
}

// A negative first value of a loop down, as the program converts it.
static void down(const int *in, int *out, int n, int w, unsigned m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = 0; k < w; ++k) sum += in[i * w + k] % 7;
    for (int k = m - 2; k >= 0; --k) out[i * w + k] = out[i * w + k + 1] / 2 + sum;
  }
}

// The element of the step before changes, too: as before.
// CHECK-LABEL: schedule of muster_digits_
// CHECK-NOT:     together
// CHECK:       #pragma
static void digits(int *out, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = m - 2; k >= 0; --k) {
      out[i * m + k] += out[i * m + k + 1] / 10;
      out[i * m + k + 1] %= 10;
    }
}

// Two pointers to one array: such launches run as before.
static void inPlace(double *a, int n, int m) { smooth(a, a, n, m); }

template <class T>
static void show(const char *name, const T *values, int count) {
  double hash = 0;
  for (int i = 0; i < count; ++i) hash = hash * 0.875 + (double)values[i];
  std::printf("%s %d %.17g\n", name, count, hash);
}

template <class T>
static void run(int n, int m) {
#pragma ompx managed(a, b, x, y, means)
  T *a = new T[n * m], *b = new T[n * m], *x = new T[n * m](), *y = new T[n * m](), *means = new T[n]();
  for (int i = 0; i < n * m; ++i) a[i] = (T)(i * 37 % 251), b[i] = (T)(i % 17);
  smooth(a, x, n, m), show("smooth", x, n * m);
  solve(a, b, y, x, n, m), show("solve", x, n * m), show("ratio", y, n * m);
  normal(a, x, means, n, m), show("normal", x, n * m), show("means", means, n);
  delete[] a;
  delete[] b;
  delete[] x;
  delete[] y;
  delete[] means;
}

int main() {
  for (int n : {1, 31, 32, 65, 200})
    for (int m : {1, 2, 63, 64, 65, 130, 256, 300}) {
      run<float>(n, m);
      run<double>(n, m);
      run<int>(n, m);
#pragma ompx managed(in, out)
      int *in = new int[n * m], *out = new int[2 * n * m]();
#pragma ompx managed(both)
      double *both = new double[n * m];
      for (int i = 0; i < n * m; ++i) in[i] = i * 37 % 251, both[i] = i % 19;
      others(in, out, n, m), show("others", out, 2 * n * m);
      found(in, in, out, n, m), show("found", out, n * m);
      down(in, out, n, m, m), down(in, out, n, m, 1), show("down", out, n * m);
      digits(out, n, m), show("digits", out, n * m);
      inPlace(both, n, m), show("both", both, n * m);
      delete[] in;
      delete[] out;
      delete[] both;
    }
  for (int i = 0; i < 70 * 130; ++i) (&table[0][0])[i] = i * 37 % 251;
  tables();
  show("table", &table[0][0], 70 * 130);
}
