// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of iterations, and tiles of rows, of bodies whose indexes are made of more than whole numbers of one type:
// variables that hold less, floating-point numbers, arrays and objects of the iteration that change in between; and
// names that look like those of lanes.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
#include <cstdio>
#include <cstring>

static void fill(float *w, float x) { w[0] = x, w[1] = 2 * x; }
static void add(float *w, float x) { w[0] += x, w[1] -= x; }
struct Pair {
  int x, y;
};

#pragma ompx managed(a, b, out, order)
static float *a, *b, *out;
static int *order;

static void report(const char *name, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 0.999 + out[i];
  printf("%s %.17g\n", name, sum);
}

static void given(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float w[2];
    fill(w, a[i]);
    if (w[0] > 30) add(w, w[1]);
    out[i] = w[0] + w[1];
  }
  report("given", n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float x[2] = {a[i], 3}, w[2];
    memcpy(w, x, sizeof w);
    out[i] = w[0] * w[1];
  }
  report("copied", n);
}

static void changing(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int w[2] = {1, 2};
      const int p = w[0] * 4 + j;
      w[0] = 2;
      const int q = w[0] * 4 + j;
      out[i * m + j] = a[p] - a[q];
    }
  report("elements", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      Pair s = {1, i};
      const float *first = a + s.x * m;
      s.x = 2;
      const float *second = a + s.x * m;
      out[i * m + j] = first[j] - second[j];
    }
  report("members", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      Pair s = {1, 2};
      const float *first = a + s.x * m;
      s.x = 3;
      const float *second = a + s.x * m;
      float sum = 0;
      for (int k = 0; k < m; ++k) sum += (first[k] - second[k]) * b[k * m + j] * a[i * m + k];
      out[i * m + j] = sum;
    }
  report("rows", n * m);
}

static void types(int n, int m, float f) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      unsigned char t = j + 4 * order[i];
      out[i * m + j] = a[t] - a[j + 4 * order[i]];
    }
  report("narrow", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) out[i * m + j] = a[(int)(j + 4 * f)];
  report("cast", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float t = m;
      out[i * m + j] = a[(int)(t * 0.25f) + j];
    }
  report("floating", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int row = 0.5f * i * m;
      out[i * m + j] = a[row + j];
    }
  report("converted", n * m);
#pragma omp parallel for
  for (int i = 0; i < 30; ++i) {
    unsigned char row = i * i;
    float sum = 0;
    for (int k = 0; k < m; ++k) sum += a[row * 4 + k];
    out[i] = sum;
  }
  report("narrow rows", 30);
#pragma omp parallel for
  for (int i = 0; i < 30; ++i) {
    float sum = 0;
    for (int k = 0; k < m / 8.0 + 90; ++k) sum += a[i * m + k];
    out[i] = sum;
  }
  report("floating ends", 30);
  unsigned back = 3, width = m;
#pragma omp parallel for
  for (int i = 0; i < 30; ++i) {
    const float *row = a + i * m;
    float sum = 0;
    for (unsigned k = 3; k < width + 100; ++k) sum += row[k - back];
    out[i] = sum;
  }
#pragma omp parallel for
  for (unsigned i = 1; i < 30; ++i) {
    float sum = 0;
    for (unsigned k = 0; k < width + 100; ++k) sum += a[i * width - width + k];
    out[i] += sum;
  }
  report("unsigned", 30);
}

static void places(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const float *p = &a[i * m + j];
      out[i * m + j] = p[0] * 2;
    }
  report("places", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < m; ++k) {
        const float *row = a + i * m;
        const float *p = &b[i * m + k];
        sum += row[k] * p[0] * b[k * m + j];
      }
      out[i * m + j] = sum;
    }
  report("inside", n * m);
}

static void names(int n, float t__1, float t__l_1) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float t = a[i];
    {
      float t_ = 2;
      t += t_;
    }
    {
      float t_ = 100;
      out[i] = t * t__1 + t_ * t__l_1;
    }
  }
  report("names", n);
}

int main() {
  a = new float[40000], b = new float[40000], out = new float[40000](), order = new int[100];
  for (int i = 0; i < 40000; ++i) a[i] = i * 37 % 101, b[i] = i * 7 % 11;
  for (int i = 0; i < 100; ++i) order[i] = i;
  given(900);
  changing(8, 100);
  types(8, 600, 0.8f), types(9, 20, 0.3f), types(9, 21, 0.3f);
  places(9, 100);
  names(4000, 2, 3);
}
