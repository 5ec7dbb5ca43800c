// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of iterations whose accesses are wide along one axis or the other: transpositions, of lengths of rows that can
// be divided and others, from rows and columns that begin anywhere, by ranks whose chunks begin where they like.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>
#include <initializer_list>

template <class T>
static void report(const char *name, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.999 + (double)data[i];
  printf("%s %.17g\n", name, sum);
}

// CHECK-LABEL: schedule of muster_transpose_
// CHECK-NEXT:    axes j i{{$}}
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item, wide along both axes where m and n can be divided by 4
// CHECK-NEXT:    one iteration a work-item, in groups of 8 x 32
template <class T>
static void transpose(const T *a, T *b, int n, int m, int row, int column) {
#pragma omp parallel for
  for (int i = row; i < n; ++i)
    for (int j = column; j < m; ++j) b[j * n + i] = a[i * m + j];
}

// Several statements, of one array that is read both ways.
// CHECK-LABEL: schedule of muster_symmetric_
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item, wide along both axes where n can be divided by 4
static void symmetric(const float *a, const float *x, float *b, float *c, long n, float s) {
#pragma omp parallel for collapse(2)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) {
      const float *other = a + j * n;
      const float both = a[i * n + j] + other[i] * s;
      b[j * n + i] = both * x[i];
      c[i * n + j] += both - x[j];
    }
}

// Neighbours along both axes; blocks begin where the stores do.
// CHECK-LABEL: schedule of muster_stencil_
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item, wide along both axes where n can be divided by 4
static void stencil(const float *a, float *b, int n) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      b[(j - 1) * n + i + 1] =
          a[i * n + j - 1] + a[i * n + j] + 2 * (a[j * n + i] + a[j * n + i + 1]) + a[(j + 1) * n + i + 1];
}

#pragma ompx managed(square, other)
static double square[36][40], other[40][36];

// CHECK-LABEL: schedule of muster_rows_
// CHECK:         blocks of 2 x 2 x 1 iterations a work-item, wide along both axes{{$}}
static void rows() {
#pragma omp parallel for
  for (int i = 0; i < 40; ++i)
    for (int j = 1; j < 36; ++j) other[i][j] = square[j][i] * 0.5 - other[i][j];
}

// The outermost loop is the one along which the other array is adjacent.
// CHECK-LABEL: schedule of muster_turn_
// CHECK-NEXT:    axes k i j: 1 of 2 accesses are adjacent along k, 1 along i
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item, wide along both axes where n can be divided by 4
static void turn(const int *a, int *b, int n, int m, int from) {
#pragma omp parallel for
  for (int i = from; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 1; k < n; ++k) b[(i * m + j) * n + k] = a[(k * m + j) * n + i];
}

// CHECK-LABEL: schedule of muster_batches_
// CHECK-NEXT:    axes k j i{{$}}
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item, wide along both axes where n and m can be divided by 4
static void batches(const float *a, float *b, int t, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < t; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < m; ++k) b[(i * m + k) * n + j] = a[(i * n + j) * m + k];
}

// Of elements of several sizes.
// CHECK-LABEL: schedule of muster_widen_
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item, wide along both axes where n can be divided by 4
static void widen(const double *a, float *b, const short *c, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[i * n + j] = (float)a[j * n + i] / 3 + c[j * n + i];
}

// Rows whose length is never known to be a multiple.
// CHECK-LABEL: schedule of muster_padded_
// CHECK-NOT:     blocks
// CHECK:         one iteration a work-item, in groups of 8 x 32
// CHECK-NEXT:    no blocks of iterations: stores cannot be aligned
static void padded(const float *a, float *b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[j * (n + 1) + i] = a[i * n + j];
}

// A table has fewer elements than there are iterations.
// CHECK-LABEL: schedule of muster_table_
// CHECK-NEXT:    axes k j i{{$}}
// CHECK-NOT:     both
// CHECK:         no blocks of iterations: accesses of neighbours are not adjacent
static void table(const float *a, const float *x, float *b, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < m; ++k) b[(i * n + j) * m + k] = a[(i * n + j) * m + k] * x[k * n + j];
}

constexpr int most = 70 * 70;

template <class T>
static void transpositions(const char *name) {
#pragma ompx managed(a, b)
  T *a = new T[most], *b = new T[most]();
  for (int i = 0; i < most; ++i) a[i] = (T)(i * 37 % 1013 % 120);
  constexpr int sizes[][4] = {{64, 68, 0, 0}, {64, 64, 1, 3}, {68, 64, 2, 1}, {63, 64, 0, 0}, {64, 61, 0, 2},
                              {35, 37, 3, 1}, {4, 4, 0, 0},   {3, 70, 0, 0},  {8, 8, 5, 7},   {1, 1, 0, 0}};
  for (const auto &[n, m, row, column] : sizes) transpose(a, b, n, m, row, column), report(name, b, n * m);
  // Arrays that begin elsewhere than their buffers.
  transpose(a + 4, b + 8, 32, 64, 1, 1), report(name, b, most);
  transpose(a + 1, b + 4, 32, 64, 1, 1), report(name, b, most);
  transpose(a + 4, b + 3, 32, 64, 1, 1), report(name, b, most);
  delete[] a;
  delete[] b;
}

static void squares(const float *a, float *b, float *c) {
  for (int n : {64, 66, 67, 4, 12, 3, 8}) {
    symmetric(a, a + 64, b, c, n, 0.25f);
    report("symmetric", b, most), report("symmetric", c, most);
    stencil(a, b, n), report("stencil", b, most);
    if (n < 67) padded(a, c, n), report("padded", c, most);
  }
  batches(a, b, 3, 32, 48), batches(a, b, 5, 8, 31), report("batches", b, most);
  table(a, b, c, 12, 32), report("table", c, most);
}

int main() {
  transpositions<float>("floats");
  transpositions<double>("doubles");
  transpositions<int>("ints");
  transpositions<short>("shorts");
  transpositions<unsigned char>("bytes");
#pragma ompx managed(a, b, c, wide, ints, turned, shorts)
  float *a = new float[most], *b = new float[most](), *c = new float[most]();
  double *wide = new double[most];
  int *ints = new int[most], *turned = new int[most]();
  short *shorts = new short[most];
  for (int i = 0; i < most; ++i)
    a[i] = (float)(i * 37 % 101), wide[i] = i * 11 % 89, shorts[i] = i * 7 % 53, ints[i] = i * 13 % 4001;
  squares(a, b, c);
  for (int i = 0; i < 36 * 40; ++i) (&square[0][0])[i] = i * 29 % 97;
  rows(), rows();
  report("rows", &other[0][0], 36 * 40);
  for (int n : {16, 12, 13, 4})
    for (int from : {0, 1, 2}) turn(ints, turned, n, 9, from), report("turn", turned, most);
  for (int n : {64, 62, 60}) widen(wide, b, shorts, n), report("widen", b, n * n);
  delete[] a;
  delete[] b;
  delete[] c;
  delete[] ints;
  delete[] turned;
  delete[] wide;
  delete[] shorts;
}
