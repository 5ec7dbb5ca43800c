// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nests of several dimensions whose iterations have loops along memory inside: work-groups share these.
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

#pragma ompx managed(a, b, w)
static double *a, *b, *w;

static void report(const char *name, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.999 + a[i];
  printf("%s %.17g\n", name, sum);
}

// CHECK-LABEL: schedule of muster_four_
// CHECK:         axes k j i
// CHECK:         work-groups share an iteration's loops over l where these are long, and have several iterations where not
static void four(int n, int m) {
#pragma omp parallel for collapse(4)
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < m; ++l) a[((i * n + j) * n + k) * m + l] += 0.5 * b[((i * n + j) * n + k) * m + l] + l;
}

// CHECK-LABEL: schedule of muster_layers_
// CHECK:         work-groups share an iteration's loops over x where these are long, and have several iterations where not
static void layers(int n, int m, int c) {
#pragma omp parallel for
  for (int t = 0; t < n; ++t)
    for (int k = 0; k < n; ++k)
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < m; ++x) {
          double sum = 0;
          for (int r = 0; r < c; ++r) sum += w[k * c + r] * b[((t * c + r) * n + y) * m + x];
          a[((t * n + k) * n + y) * m + x] = sum;
        }
}

// The compiler knows that the loop is short: it is all that the iteration has.
// CHECK-LABEL: schedule of muster_fives_
// CHECK:         work-groups share an iteration's loops over l where these are long, and have several iterations where not
static void fives(int n) {
#pragma omp parallel for collapse(3)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        for (int l = 0; l < 5; ++l)
          if ((i + l) % 3 != 0) a[((i * n + j) * n + k) * 5 + l] -= b[((i * n + j) * n + k) * 5 + 4 - l];
      }
}

// Neighbours of the nest touch neighbouring elements; those of the loop inside have only their weights beside each other.
// CHECK-LABEL: schedule of muster_channels_
// CHECK-NEXT:    axes k j i
// CHECK-NOT:     work-groups share
// CHECK-LABEL: schedule of muster_triangles_
static void channels(int n, int m) {
#pragma omp parallel for collapse(3)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        for (int c = 0; c < m; ++c) a[((c * n + i) * n + j) * n + k] = w[c % 90] * b[(i * n + j) * n + k] + w[c];
}

// Beside other statements, and as long as the iteration says.
// CHECK:         work-groups share an iteration's loops over l where these are long{{$}}
static void triangles(int n, int m) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double scale = w[i] + w[j];
      a[(i * n + j) * m] = scale;
      for (int l = 1; l < m - i; ++l) a[(i * n + j) * m + l] = scale * b[(i * n + j) * m + l];
      for (int l = 1; l < m - j; ++l) a[(i * n + j) * m + l] += b[(j * n + i) * m + l];
      b[(i * n + j) * m] = scale + 1;
    }
}

int main() {
  const int n = 9, most = n * n * n * 130;
  a = new double[most], b = new double[most], w = new double[130];
  for (int i = 0; i < most; ++i) a[i] = i % 17, b[i] = i % 13;
  for (int i = 0; i < 130; ++i) w[i] = i % 7 * 0.25;
  for (int m : {130, 64, 63, 31, 12, 7, 2, 1}) {
    four(n, m);
    report("four", n * n * n * m);
    layers(n, m, 5);
    report("layers", n * n * n * m);
    fives(n);
    report("fives", n * n * n * 5);
    channels(n, m);
    report("channels", n * n * n * m);
    triangles(n, m);
    report("triangles", n * n * m);
  }
  delete[] a;
  delete[] b;
  delete[] w;
}
