// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that run a fixed number of times, written out in blocks of iterations, which then read their windows with wide
// accesses; and colours of pixels. Lengths and beginnings that are aligned, and others.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <algorithm>
#include <cstdio>
#include <cstdlib>

template <class T>
static void report(const char *name, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.999 + (double)data[i];
  printf("%s %.17g\n", name, sum);
}

static const float taps[3][3] = {{0.5f, 1, 0.25f}, {-1, 3, 0.125f}, {2, -0.75f, 1}};

// CHECK-LABEL: schedule of muster_filter_
// CHECK:         blocks of 4 x 1 x 1 iterations a work-item, loops written out{{$}}
// CHECK-LABEL: schedule of muster_filter_
// CHECK:         blocks of 2 x 1 x 1 iterations a work-item, loops written out{{$}}
// CHECK-LABEL: schedule of muster_filter_
// CHECK:         blocks of 16 x 1 x 1 iterations a work-item, loops written out{{$}}
// CHECK-LABEL: schedule of muster_filter_
// CHECK:         blocks of 16 x 1 x 1 iterations a work-item, loops written out{{$}}
// CHECK-LABEL: schedule of muster_filter_
// CHECK:         blocks of 8 x 1 x 1 iterations a work-item, loops written out{{$}}
template <class T>
static void filter(const T *in, T *out, int n, int from) {
#pragma omp parallel for
  for (int i = from; i < n; ++i) {
    T sum = 0;
    for (int k = 0; k < 7; ++k) sum += (T)(k - 3) * in[i + k] + 5 * in[i + k / 2];
    out[i] = sum;
  }
}

// The variable from outside, another kind of number, an end that is included, steps with variables of their own.
// CHECK-LABEL: schedule of muster_spelled_
// CHECK:         blocks of 4 x 1 x 1 iterations a work-item, loops written out{{$}}
static void spelled(const float *in, float *out, int n) {
  int k;
#pragma omp parallel for private(k)
  for (int i = 2; i < n; ++i) {
    float sum = 0, last = 1;
    for (k = 0; k < 3; k++) sum += taps[k][1] * in[i + k - 2];
    sum *= k;
    for (long l = -1; l <= 1; ++l) {
      float left = in[i + l], right = taps[l + 1][2] * in[i - l];
      if (l == 0) left *= 2;
      else if (l > 0) { float half = right / 2; left -= half; }
      for (unsigned m = 0; m < 2; ++m) sum += left * right * m;
      last = left;
    }
    out[i] = sum + last;
  }
}

// CHECK-LABEL: schedule of muster_window_
// CHECK:         blocks of 4 x 2 x 1 iterations a work-item, loops written out where m can be divided by 4
// CHECK-LABEL: schedule of muster_window_
// CHECK:         blocks of 2 x 2 x 1 iterations a work-item, loops written out where m can be divided by 2
// CHECK-LABEL: schedule of muster_window_
// CHECK:         blocks of 4 x 8 x 1 iterations a work-item, loops written out where m can be divided by 4
template <class T, class S>
static void window(const T *in, T *out, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      S sum = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) sum += (S)(taps[y + 1][x + 1] * 3) * in[(i + y) * m + j + x];
      out[i * m + j] = (T)(sum / 3);
    }
}

static void order(unsigned char &a, unsigned char &b) {
  const unsigned char least = std::min(a, b), most = std::max(a, b);
  a = least, b = most;
}

// CHECK-LABEL: schedule of muster_median_
// CHECK:         blocks of 4 x 8 x 1 iterations a work-item, loops written out where m can be divided by 4
static void median(const unsigned char *in, unsigned char *out, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      unsigned char v[5];
      for (int k = 0; k < 5; ++k) v[k] = in[(i + (k == 3) - (k == 4)) * m + j + (k == 1) - (k == 2)];
      order(v[0], v[1]), order(v[3], v[4]), order(v[0], v[3]), order(v[1], v[4]), order(v[1], v[2]);
      order(v[2], v[3]), order(v[1], v[2]);
      out[i * m + j] = std::max(std::min(v[2], in[i * m + j]), in[(i - 1) * m + j]);
    }
}

// CHECK-LABEL: schedule of muster_gray_
// CHECK:         blocks of 16 x 1 x 1 iterations a work-item{{$}}
static void gray(const unsigned char *rgb, unsigned char *level, int n, int from) {
#pragma omp parallel for
  for (int i = from; i < n; ++i) level[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

// CHECK-LABEL: schedule of muster_pixels_
// CHECK:         blocks of 4 x 1 x 1 iterations a work-item, loops written out{{$}}
static void pixels(const short (*rgb)[3], float *level, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    level[i] = 0;
    for (int c = 0; c < 3; ++c) level[i] += rgb[i][c] * taps[1][c];
  }
}

// What a statement stored is read again by those behind it.
// CHECK-LABEL: schedule of muster_squares_
// CHECK:         blocks of 4 x 1 x 1 iterations a work-item{{$}}
static void squares(const float *z, float *square, float *other, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const float re = z[2 * i], before = square[i];
    const float im = z[2 * i + 1];
    square[i] = re * re + im * im;
    other[i] = square[i] - before;
    square[i] += z[2 * i];
  }
}

template <class T>
static void along(const char *name) {
#pragma ompx managed(in, out)
  T *in = new T[1010], *out = new T[1000]();
  for (int i = 0; i < 1010; ++i) in[i] = (T)(i * 167 % 251);
  for (int from : {0, 3, 4, 8})
    for (int n : {1000, 997, 20, 3}) filter(in, out, n, from);
  report(name, out, 1000);
  delete[] in;
  delete[] out;
}

template <class T, class S>
static void around(const char *name) {
  const int n = 37;
#pragma ompx managed(in, out)
  T *in = new T[n * 70], *out = new T[n * 70]();
  for (int i = 0; i < n * 70; ++i) in[i] = (T)(i * 167 % 251);
  for (int m : {64, 66, 68, 67, 6}) {
    window<T, S>(in, out, n, m);
    report(name, out, n * m);
  }
  delete[] in;
  delete[] out;
}

int main() {
  along<float>("floats"), along<double>("doubles"), along<unsigned char>("bytes"), along<signed char>("chars");
  along<short>("shorts");
  around<float, float>("float"), around<double, double>("double"), around<unsigned char, int>("byte");
  const int n = 997;
#pragma ompx managed(in, out, other)
  float *in = new float[2 * n], *out = new float[n](), *other = new float[n];
#pragma ompx managed(rgb, level)
  unsigned char *rgb = new unsigned char[3 * n], *level = new unsigned char[n]();
#pragma ompx managed(colours)
  short(*colours)[3] = new short[n][3];
  for (int i = 0; i < 2 * n; ++i) in[i] = i * 37 % 101;
  for (int i = 0; i < 3 * n; ++i) rgb[i] = i * 167 % 251, colours[i / 3][i % 3] = i * 29 % 83 - 40;
  spelled(in, out, n);
  report("spelled", out, n);
  for (int from : {0, 5, 16}) gray(rgb, level, n - from, from);
  report("gray", level, n);
  pixels(colours, out, n);
  report("pixels", out, n);
  squares(in, out, other, n);
  report("squares", out, n);
  report("others", other, n);
  squares(in, out, out, n);  // one array of two names
  report("one", out, n);
  for (int m : {28, 31}) {
    median(rgb, level, 31, m);
    report("median", level, 31 * m);
  }
  delete[] in;
  delete[] out;
  delete[] other;
  delete[] rgb;
  delete[] level;
  delete[] colours;
}
