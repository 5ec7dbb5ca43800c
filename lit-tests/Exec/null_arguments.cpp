// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Array arguments that are null, and that the loop does not touch then: read, written, of several element types, tested
// in the body, several in one launch, null in one call and an array in the next. No launch steps back.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2> %t.log | diff %t.expected -
// RUN: not grep "runs on rank 0" %t.log
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t.muster 2> %t.log | diff %t.expected -
// RUN: not grep "runs on rank 0" %t.log
#include <cstdio>
#include <cstdlib>

static double sum(double *a, const int *idx, int n, int mode) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += mode ? a[idx[i]] : a[i];
  return s;
}

// The usual idiom.
static void update(double *out, const double *in, const double *mask, float *copy, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double factor = mask ? mask[i] : 1;
    out[i] = factor * in[i];
    if (copy != nullptr) copy[i] = (float)out[i];
  }
}

static void stencil(double *out, const double *in, double *left, double *right, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i == 0 && left) left[0] = in[0];
    if (i == n - 1 && right) right[0] = in[n - 1];
    out[i] = i > 0 && i < n - 1 ? in[i - 1] + in[i + 1] : in[i];
  }
}

struct Field {
  double *values, *weights;
};
static double weighted(const Field *f, int n) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += f->weights ? f->values[i] * f->weights[i] : f->values[i];
  return s;
}

int main() {
  const int n = 1000;
#pragma ompx managed(a)
  double *a = new double[n];
#pragma ompx managed(b)
  double *b = new double[n];
#pragma ompx managed(mask)
  double *mask = new double[n];
#pragma ompx managed(copy)
  float *copy = new float[n]();
#pragma ompx managed(idx)
  int *idx = new int[n];
  for (int i = 0; i < n; i++) a[i] = i, b[i] = 0, mask[i] = i % 2, idx[i] = n - 1 - i;
  std::printf("%g\n", sum(a, nullptr, n, 0));
  std::printf("%g\n", sum(a, idx, n, 1));
  std::printf("%g\n", sum(a, nullptr, n, 0));
  for (int mode = 0; mode < 4; ++mode) {
    update(b, a, mode & 1 ? mask : nullptr, mode & 2 ? copy : nullptr, n);
    std::printf("%g %g\n", sum(b, nullptr, n, 0), copy[n - 1]);
  }
  stencil(b, a, nullptr, nullptr, n);
  std::printf("%g %g\n", sum(b, nullptr, n, 0), mask[1]);
  stencil(b, a, nullptr, mask + 1, n);
  std::printf("%g %g\n", sum(b, nullptr, n, 0), mask[1]);
  Field f = {a, nullptr};
  std::printf("%g\n", weighted(&f, n));
  f.weights = b;
  std::printf("%g\n", weighted(&f, n));
  delete[] a;
  delete[] b;
  delete[] mask;
  delete[] copy;
  delete[] idx;
}
