// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows around an element, whose size is a constant, an argument of a template or known at the launch: loops inside an
// iteration, which several rows of a work-item then have in common. Sizes change from launch to launch, more often than
// texts are built for them. And planes of an array, which are apart where the launch says so.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <algorithm>
#include <cstdio>

// CHECK-LABEL: schedule of muster_sums_
// CHECK:         8 iterations a work-item along i
// CHECK-NEXT:      where loops inside it run at most 100 times, built for the value of r
template <class T>
static void sums(const T *in, T *out, int n, int m, int r) {
#pragma omp parallel for
  for (int i = r; i < n - r; ++i)
    for (int j = r; j < m - r; ++j) {
      T sum = 0;
      for (int k = -r; k <= r; ++k)
        for (int l = -r; l <= r; ++l) sum += in[(i + k) * m + j + l] * (T)(k + 2 * l);
      if (sum == 3) continue;
      out[i * m + j] = sum;
    }
}

// CHECK-LABEL: schedule of muster_medians_
// CHECK:         8 iterations a work-item along i
template <int R>
static void medians(const unsigned char *in, unsigned char *out, int n, int m) {
#pragma omp parallel for
  for (int i = R; i < n - R; ++i)
    for (int j = R; j < m - R; ++j) {
      unsigned char window[(2 * R + 1) * (2 * R + 1)];
      int count = 0;
      for (int k = -R; k <= R; ++k)
        for (int l = -R; l <= R; ++l) window[count++] = in[(i + k) * m + j + l];
      for (int a = 0; a < 5; ++a)
        for (int b = 8; b > a; --b)
          if (window[b] < window[b - 1]) {
            unsigned char t = window[b];
            window[b] = window[b - 1], window[b - 1] = t;
          }
      out[i * m + j] = window[4];
    }
}

// CHECK-LABEL: schedule of muster_collide_
// CHECK-NEXT:    axes x y
static void collide(const double *f, double *g, int ny, int nx) {
  static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
#pragma omp parallel for
  for (int y = 1; y < ny - 1; ++y)
    for (int x = 1; x < nx - 1; ++x) {
      double q[9], rho = 0;
      for (int k = 0; k < 9; ++k) q[k] = f[(k * ny + y - cy[k]) * nx + x - cx[k]];
      for (int k = 0; k < 9; ++k) rho += q[k];
      for (int k = 0; k < 9; ++k) g[k * ny * nx + y * nx + x] = 0.5 * q[k] + 0.0625 * rho;
    }
}

// As many terms as the launch says, unsigned and counted down.
static void terms(const double *in, double *out, int n, int m, unsigned count) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double x = in[i * m + j] * 0.125, value = 0;
      for (unsigned k = count; k > 0; --k) value = value * x + k;
      out[i * m + j] = value;
    }
}

template <class T>
static void report(const char *name, const T *values, int count) {
  unsigned long hash = 0;
  for (int i = 0; i < count; ++i) hash = hash * 31 + (unsigned long)(long)(values[i] * 16);
  std::printf("%s %016lx\n", name, hash);
}

template <class T>
static void run(const char *name, int n, int m) {
#pragma ompx managed(in, out)
  T *in = new T[n * m], *out = new T[n * m]();
  for (int i = 0; i < n * m; ++i) in[i] = (T)(i * 37 % 101 % 13);
  for (int r : {1, 2, 1, 3, 4, 5, 2, 0, 6, 1}) {
    sums(in, out, n, m, r);
    report(name, out, n * m);
  }
  delete[] in;
  delete[] out;
}

int main() {
  run<float>("float", 67, 45);
  run<double>("double", 50, 131);
  run<short>("short", 41, 70);
  const int n = 83, m = 61;
#pragma ompx managed(bytes, chosen)
  unsigned char *bytes = new unsigned char[n * m], *chosen = new unsigned char[n * m]();
  for (int i = 0; i < n * m; ++i) bytes[i] = i * 167 % 251;
  medians<1>(bytes, chosen, n, m);
  report("median", chosen, n * m);
  const int ny = 37, nx = 53;
#pragma ompx managed(f, g)
  double *f = new double[9 * ny * nx], *g = new double[9 * ny * nx]();
  for (int i = 0; i < 9 * ny * nx; ++i) f[i] = i * 29 % 97 * 0.25;
  for (int step = 0; step < 4; ++step) {
    collide(f, g, ny, nx);
    std::swap(f, g);
  }
  report("planes", f, 9 * ny * nx);
  // One plane over another: iterations are no longer independent, and the launch sees it.
  collide(f, g, 1, 5);
  for (unsigned count : {3u, 8u, 0u, 50u, 3u, 200u}) {
    terms(f, g, 9 * ny, nx, count);
    report("terms", g, 9 * ny * nx);
  }
  delete[] bytes;
  delete[] chosen;
  delete[] f;
  delete[] g;
}
