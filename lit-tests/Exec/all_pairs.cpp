// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that all walk along the same elements, as bodies that pull each other: work-groups load these into local
// memory together. Ends of groups and of tiles, other types, and loops that stay as they are. Inverse roots.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck --check-prefix=KERNEL %s
#include <cmath>
#include <cstdio>
#include <initializer_list>

template <class T>
static void report(const char *name, const T *data, long count) {
  double sum = 0;
  for (long i = 0; i < count; ++i) sum = sum * 0.9999 + (double)data[i];
  printf("%s %.17g\n", name, sum);
}

// CHECK-LABEL: schedule of muster_pull_
// CHECK:         work-groups load what all iterations walk along together where that is long
// KERNEL-LABEL: void muster_pull_
// KERNEL:         muster_tile1[muster_e] = mass[j];
// KERNEL:         const float4 muster_tile0_now
// KERNEL:         const float inverse = muster_inverse_root(square);
static void pull(const float *x, const float *mass, float *force, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < n; ++j) {
      const float d = x[j] - x[i], square = d * d + 0.001f;
      const float inverse = 1.0f / sqrtf(square);
      sum += mass[j] * d * inverse * inverse;
    }
    force[i] += sum;
  }
}

// Doubles, one of two arrays from an element on, a condition, the root of a double.
// CHECK-LABEL: schedule of muster_near_
// CHECK:         work-groups load what all iterations walk along together where that is long
// KERNEL-LABEL: void muster_near_
// KERNEL:         1.0 / sqrt(d * d + j)
static void near(const double *x, const double *y, const int *kind, double *result, int n, int from, int m) {
#pragma omp parallel for
  for (int i = from; i < n; ++i) {
    double sum = 0;
    int last = -1;
    for (int j = 3; j < m; j++) {
      const double d = x[j + 1] - y[i];
      if (d * d < 900 && kind[j] != 2) sum += 1.0 / sqrt(d * d + j), last = j;
    }
    result[i] = sum + last;
  }
}

// Elements of its own beside the common ones, along memory; one over a root of other forms.
// CHECK-LABEL: schedule of muster_columns_
// CHECK:         work-groups load what all iterations walk along together where that is long
// KERNEL-LABEL: void muster_columns_
// KERNEL:         muster_inverse_root(w[k] + 300.0f)
// KERNEL:         muster_inverse_root(fabs(sum)) - 2.0f / sqrt(sum * sum)
static void columns(const float *a, const float *w, float *result, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < m; ++k) sum += w[k] * a[k * n + i] + 1 / std::sqrt(w[k] + 300.0f);
    result[i] = sum + 1.0f / sqrtf(fabsf(sum)) - 2.0f / sqrtf(sum * sum);
  }
}

// It may leave the loop, and a loop inside it: no tiles.
// CHECK-LABEL: schedule of muster_first_
// CHECK-NOT:     work-groups load what all iterations
static void first(const int *x, int *result, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int found = -1;
    for (int j = 0; j < n; ++j) {
      if (x[j] != i % 83) continue;
      found = j;
      break;
    }
    result[i] = found;
  }
}

static void roots(const float *x, float *result, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) result[i] = 1.0f / sqrtf(x[i]);
}

int main() {
  const int most = 5000;
#pragma ompx managed(x, mass, force, matrix)
  float *x = new float[most], *mass = new float[most], *force = new float[most](), *matrix = new float[2100 * 300];
#pragma ompx managed(dx, dy, result)
  double *dx = new double[most], *dy = new double[most], *result = new double[most]();
#pragma ompx managed(kind, found)
  int *kind = new int[most], *found = new int[most]();
  for (int i = 0; i < most; ++i)
    x[i] = i * 167 % 251, mass[i] = 1 + i % 7, dx[i] = i * 37 % 101, dy[i] = i * 53 % 97, kind[i] = i * 29 % 83;
  for (int i = 0; i < 2100 * 300; ++i) matrix[i] = i % 13;
  for (int n : {5000, 3071, 2048, 700}) {
    pull(x, mass, force, n);
    report("pull", force, n);
    near(dx, dy, kind, result, 500, 77, n - 1);
    report("near", result, 500);
    first(kind, found, n);
    report("first", found, n);
  }
  for (int n : {300, 257}) {
    columns(matrix, x, force, n, 2100);
    report("columns", force, n);
  }
  // All kinds of numbers: none at all, small and large ones, and others.
  float *all = x;
  for (int i = 0; i < 256; ++i) all[i] = ldexpf(1.0f + i / 256.0f, i - 150);
  all[256] = 0, all[257] = -0.0f, all[258] = INFINITY, all[259] = 1e-45f, all[260] = 3e38f;
  roots(all, force, 261);
  for (int i = 0; i < 261; ++i) printf("%a%c", force[i], i % 8 == 7 ? '\n' : ' ');
  delete[] x, delete[] mass, delete[] force, delete[] matrix, delete[] dx, delete[] dy, delete[] result, delete[] kind,
      delete[] found;
}
