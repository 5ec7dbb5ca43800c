// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work-items that run blocks of iterations, with wide accesses, where lengths of rows and beginnings of arrays allow it:
// lengths that do and others, columns that begin anywhere, chunks of ranks that begin where they like.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <cstdio>
#include <initializer_list>

// CHECK-LABEL: schedule of muster_smooth_
// CHECK:         blocks of 4 x 2 x 1 iterations a work-item where m can be divided by 4
static void smooth(const float *in, float *out, int n, int m, int from) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = from; j < m - 1; ++j)
      out[i * m + j] = 0.25f * (in[(i - 1) * m + j] + in[(i + 1) * m + j] + in[i * m + j - 1] + in[i * m + j + 1]);
}

// CHECK-LABEL: schedule of muster_edges_
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item where m can be divided by 4
static void edges(const unsigned char *in, unsigned char *out, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      const unsigned char *up = in + (long)(i - 1) * m, *mid = up + m, *down = &in[(i + 1) * m];
      int x = up[j + 1] + 2 * mid[j + 1] + down[j + 1] - up[j - 1] - 2 * mid[j - 1] - down[j - 1];
      if (x < 0) x = -x;
      out[i * m + j] = x > 255 ? 255 : x;
    }
}

// CHECK-LABEL: schedule of muster_products_
// CHECK:         blocks of 4 x 4 x 1 iterations a work-item where m can be divided by 4
template <class T>
static void products(const T *a, const T *b, T *c, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      T sum = 0;
      for (int k = 0; k < m; ++k) sum += a[i * m + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// Behind the first element, from another beginning than the array that is read.
// CHECK-LABEL: schedule of muster_shifted_
// CHECK:         blocks of 8 x 1 x 1 iterations a work-item{{$}}
static void shifted(short *a, const short *b, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    short t = a[i + 3] * 3;
    if (t > 1000) t -= 7;
    t += b[i + 3] / 2 + b[i + 2];
    a[i + 3] = t;
  }
}

#pragma ompx managed(cube, other)
static double cube[9][11][12], other[9][11][12];

// CHECK-LABEL: schedule of muster_layers_
// CHECK:         blocks of 1 x 2 x 4 iterations a work-item{{$}}
static void layers() {
#pragma omp parallel for collapse(3)
  for (int i = 1; i < 8; ++i)
    for (int j = 0; j < 11; ++j)
      for (int k = 1; k < 11; ++k)
        other[i][j][k] += 0.5 * cube[i][j][k] - cube[i - 1][j][k] - cube[i][j][k - 1] - cube[i + 1][j][k] * cube[i][j][k + 1];
}

template <class T>
static void report(const char *name, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.999 + (double)data[i];
  printf("%s %.17g\n", name, sum);
}

template <class T>
static void multiply(const char *name, int n, int m) {
#pragma ompx managed(a, b, c)
  T *a = new T[n * m], *b = new T[m * m], *c = new T[n * m]();
  for (int i = 0; i < n * m; ++i) a[i] = (T)(i * 37 % 101 % 13) / 4;
  for (int i = 0; i < m * m; ++i) b[i] = (T)(i * 53 % 89 % 11) / 2;
  products(a, b, c, n, m);
  report(name, c, n * m);
  delete[] a;
  delete[] b;
  delete[] c;
}

int main() {
  const int n = 37, most = 70;
#pragma ompx managed(in, out)
  float *in = new float[n * most], *out = new float[n * most]();
  for (int i = 0; i < n * most; ++i) in[i] = (float)(i * 37 % 101 % 13);
#pragma ompx managed(bytes, edge)
  unsigned char *bytes = new unsigned char[n * most], *edge = new unsigned char[n * most]();
  for (int i = 0; i < n * most; ++i) bytes[i] = i * 167 % 251;
  for (int m : {64, 66, 67, 68, 5, 4, 70}) {
    for (int from : {1, 2, 3, 4}) smooth(in, out, n, m, from);
    report("smooth", out, n * m);
    edges(bytes, edge, n, m);
    report("edges", edge, n * m);
    multiply<float>("floats", n, m);
    multiply<double>("doubles", n, m);
    multiply<int>("ints", n, m);
  }
#pragma ompx managed(a, b)
  short *a = new short[1000], *b = new short[1000];
  for (int i = 0; i < 1000; ++i) a[i] = i * 7, b[i] = 3000 - i;
  for (long count : {997L, 900L, 16L, 13L, 1L, 0L}) shifted(a, b, count);
  report("shifted", a, 1000);
  for (int i = 0; i < 9 * 11 * 12; ++i) (&cube[0][0][0])[i] = i * 29 % 97;
  layers(), layers();
  report("layers", &other[0][0][0], 9 * 11 * 12);
  delete[] in;
  delete[] out;
  delete[] bytes;
  delete[] edge;
  delete[] a;
  delete[] b;
}
