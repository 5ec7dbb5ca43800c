// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short loops whose bound is an argument, written out in blocks of iterations for its values up to four. Other values,
// rows that are not aligned, and arrays that are one have other forms.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '^// ' | FileCheck --check-prefix=REWRITE %s
#include <cstdio>
#include <initializer_list>

template <class T>
static void report(const char *name, int radius, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.999 + (double)data[i];
  printf("%s %d %.17g\n", name, radius, sum);
}

// CHECK-LABEL: schedule of muster_window_
// CHECK:         where loops inside it run at most 100 times, built for the value of radius
// CHECK-NEXT:    blocks of 4 x 2 x 1 iterations a work-item, loops written out for radius = 1 where m can be divided by 4
// CHECK-NEXT:    blocks of 4 x 4 x 1 iterations a work-item, loops written out for radius = 2 where m can be divided by 4
// CHECK-NEXT:    blocks of 4 x 4 x 1 iterations a work-item, loops written out for radius = 3 where m can be divided by 4
// CHECK-NEXT:    blocks of 4 x 4 x 1 iterations a work-item, loops written out for radius = 4 where m can be divided by 4
// REWRITE: static const muster_schedule muster_schedule[] = {
// REWRITE-NEXT: {4, 2, 1}, 1, 1, 0, {1}, 3, {0, 0}, 1, 0, 0}, {{[{][{]}}4, 4, 1}, 1, 1, 0, {1}, 3, {0, 0}, 2, 0, 0}
static void window(const float *in, float *out, int n, int m, int radius) {
#pragma omp parallel for
  for (int i = radius; i < n - radius; ++i)
    for (int j = radius; j < m - radius; ++j) {
      float sum = 0;
      for (int y = -radius; y <= radius; ++y)
        for (int x = -radius; x <= radius; ++x) sum += in[(i + y) * m + j + x] * (float)(1 + x * y);
      out[i * m + j] = sum;
    }
}

// A star, whose bound has no sign, and 64 bits.
// CHECK-LABEL: schedule of muster_star_
// CHECK:         blocks of 2 x 2 x 1 iterations a work-item, loops written out for reach = 1 where m can be divided by 2
// CHECK-NEXT:    blocks of 2 x 2 x 1 iterations a work-item, loops written out for reach = 2 where m can be divided by 2
// CHECK-NEXT:    blocks of 2 x 2 x 1 iterations a work-item, loops written out for reach = 3 where m can be divided by 2
// CHECK-NEXT:    blocks of 2 x 2 x 1 iterations a work-item, loops written out for reach = 4 where m can be divided by 2
static void star(const double *in, double *out, int n, int m, unsigned long reach) {
#pragma omp parallel for
  for (int i = 5; i < n - 5; ++i)
    for (int j = 5; j < m - 5; ++j) {
      double sum = 4 * in[i * m + j];
      for (unsigned long r = 1; r <= reach; ++r)
        sum += (in[i * m + j + r] + in[i * m + j - r] + in[(i + r) * m + j] + in[(i - r) * m + j]) / (double)(r + 1);
      out[i * m + j] = sum;
    }
}

// The loop's own variable from outside, and a bound of one byte.
// CHECK-LABEL: schedule of muster_filter_
// CHECK:         blocks of 4 x 2 x 1 iterations a work-item, loops written out for taps = 1 where m can be divided by 4
static void filter(const int *in, int *out, int n, int m, signed char taps) {
  int k;
#pragma omp parallel for private(k)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m - 8; ++j) {
      int sum = 0;
      for (k = 0; k < taps; ++k) sum += in[i * m + j + k] << k;
      out[i * m + j] = sum * k + taps;
    }
}

int main() {
  const int n = 37, m = 68;
#pragma ompx managed(a, b)
  float *a = new float[n * m], *b = new float[n * m]();
#pragma ompx managed(c, d)
  double *c = new double[n * m], *d = new double[n * m]();
#pragma ompx managed(e, f)
  int *e = new int[n * m], *f = new int[n * m]();
  for (int i = 0; i < n * m; ++i) a[i] = i * 167 % 251, c[i] = i * 37 % 101, e[i] = i * 29 % 83;
  for (int length : {68, 64, 67})
    for (int radius = 0; radius <= 6; ++radius) {
      window(a, b, n, length, radius);
      report("window", radius, b, n * m);
      if (radius < 6) star(c, d, n, length, radius);
      report("star", radius, d, n * m);
      filter(e, f, n, length, (signed char)radius);
      report("filter", radius, f, n * m);
    }
  filter(e, f, n, m, -3);
  report("none", -3, f, n * m);
  delete[] a;
  delete[] b;
  delete[] c;
  delete[] d;
  delete[] e;
  delete[] f;
}
