// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that mean something in OpenCL C, and shadowing. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cmath>
#include "Inputs/wild_report.h"
namespace ns {
double scale = 2;
static double fn(double x) { return x + scale; }
namespace inner {
int k = 3;
}
}  // namespace ns
static int global = 4, kernel = 2;
double half = 0.5;
int local_id = 7;
static double constant = 3;
static double get_global_id(int x) { return x * 2.0; }
static double vload(double x) { return x + 1; }
static double dot(double a, double b) { return a * b; }
static float clamp(float x, float a, float b) { return x < a ? a : x > b ? b : x; }
static double mix(double a) { return a * 3; }
static double sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
static double mad(double a, double b) { return a + b; }
static int max(int a, int b) {
  if (a > b) return a;
  return b;
}
static double length(double a) { return a + 4; }
static double f(int x) { return x; }
static double f(double x) { return x * 2; }
static double f(float x, int k = 3) { return x * k; }
int main() {
  int n = 90;
#pragma ompx managed(buf, image, event, sampler)
  double *buf = new double[n], *image = new double[n], *event = new double[n], *sampler = new double[n];
  fill(buf, n);
  fill(image, n, 1);
  fill(event, n, 2);
  fill(sampler, n, 3);
  int first = 1, lo = 2, hi = 3, step = 4, muster_lo_0 = 5, out = 6, float4 = 7, uint = 8, size = 9, count = 10,
      launch = 11, dims = 12;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    buf[i] = image[i] + first + lo + hi + step + muster_lo_0 + out + float4 + uint + size + count + launch + dims;
#pragma omp parallel for
  for (int k = 0; k < n; k++) {
    int read_only = k, __private_x = 1, kernel_ = 4;
    double pipe = ns::fn(event[k]);
    event[k] = read_only + __private_x + kernel_ + pipe + global + kernel + half + local_id + constant + ns::inner::k;
  }
#pragma omp parallel for
  for (int lo = 0; lo < n; lo++) {
    int muster = lo;
    sampler[lo] = get_global_id(muster) + vload(1) + dot(2, 3) + clamp(lo, 3, 10) + mix(lo) + sign(lo - 5) + mad(1, 2) +
                  max(lo, 40) + length(1);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int n2 = i;
    {
      int n2 = 5;
      image[i] += n2;
    }
    for (int i2 = 0, n2 = 3; i2 < n2; i2++) image[i] += i2;
    image[i] += n2;
    {
      double i = 4.5;
      image[n2] += i;
    }
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) buf[i] += f(i) + f(1.5) + f(2.f) + f(2.f, i);
  double e1 = 3, pi = M_PI;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double M = e1;
    float LOCAL = 1.25f;
    buf[i] += M * LOCAL + floor(pi);
    using T = long;
    T q = i;
    typedef unsigned char u8;
    buf[i] += (u8)(q * 77);
  }
  report("buf", buf, n);
  report("image", image, n);
  report("event", event, n);
  report("sampler", sampler, n);
  delete[] buf;
  delete[] image;
  delete[] event;
  delete[] sampler;
}
