// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows whose statements change what their indexes are made of, elements of one array that are read with several
// strides, and short loops whose bounds C converts.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster > %t.out 2> %t.err && diff %t.expected %t.out && not grep . %t.err
#include <cstdio>

#pragma ompx managed(in, out, start)
static float *in, *out;
static int *start;

static void report(const char *name, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 0.999 + out[i];
  printf("%s %.17g\n", name, sum);
}

static void rows(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int y = i;
      float s = in[y * m + j];
      y += 1;
      s += 3 * in[y * m + j];
      out[i * m + j] = s;
    }
  report("assigned", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int y = i;
      float s = in[y * m + j];
      s += (y++, 3 * in[y * m + j]) + in[j];
      out[i * m + j] = s, s += in[y * m + j], y = 0;
    }
  report("within", n * m);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const float *row = in + i * m;
      int at[2] = {i * m, 0};
      float s = row[j] + in[at[0] + j];
      row += m, at[0] += m;
      s += 3 * row[j] + 5 * in[at[0] + j];
      out[i * m + j] = s;
    }
  report("pointers", n * m);
}

static void steps(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int q = 0;
    float s = 0;
    for (int k = 0; k < 3; ++k) {
      s += (k + 1) * in[i + 4 * q];
      ++q;
    }
    out[i] = s;
  }
  report("counted", n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float s = in[i + start[0]];
    start[i + 1] = start[0] + (int)s % 2;
    s += in[i + start[0]];
    out[i] = s;
  }
  report("read", n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = in[i] + 7 * in[2 * i] + 11 * in[2 * i + 1];
  report("strides", n);
}

static void bounds(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float s = in[i];
    for (int k = -1; k < 3u; ++k) s += 100;
    for (long k = -1; k <= 2ul; ++k) s += 1000;
    out[i] = s;
  }
  report("unsigned", n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    float s = in[i];
    for (int k = 0xffffffff; k < 2; ++k) s += in[i + k + 1];
    for (unsigned k = 4294967296L; k < 2; ++k) s += 1000;
    for (unsigned char k = 254; k < 255; ++k) s += k;
    out[i] = s;
  }
  report("converted", n);
}

int main() {
  const int n = 12, m = 64;
  in = new float[(n + 2) * m], out = new float[n * m](), start = new int[n * m]();
  for (int i = 0; i < (n + 2) * m; ++i) in[i] = i * 37 % 101;
  rows(n, m), rows(n, m - 1), steps(m), steps(m - 3), bounds(m), bounds(m - 3);
  delete[] in;
  delete[] out;
  delete[] start;
}
