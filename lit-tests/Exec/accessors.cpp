// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one expression in place of their calls: conversions of arguments and results, arguments that are used
// twice or have effects, references, members, lambdas.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=first MUSTER_INFO=1 %t.muster > %t.out 2> %t.err
// RUN: diff %t.expected %t.out && not grep 'this loop runs' %t.err
// RUN: %run MUSTER_DEVICES=pocl MUSTER_TUNE=off MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Grid {
  int rows, columns;
  double *data;
  double &operator()(int i, int j) { return data[i * columns + j]; }
  double operator()(int i, int j) const { return data[i * columns + j]; }
  const double &at(std::size_t i) const { return *(data + i); }
  int place(int i, int j) const { return i * columns + j; }
};

struct Field {
#pragma ompx managed(values)
  std::vector<float> values;
  std::size_t width;
  float &operator()(std::size_t i, std::size_t j) { return values[i * width + j]; }
  const float &operator()(std::size_t i, std::size_t j) const { return values[i * width + j]; }
};

static inline int flat(int i, int j, int n) { return i * n + j; }
static inline short narrow(short value) { return value * 3; }
static inline unsigned char byte(int value) { return value; }
static inline float single(float value) { return value * 0.1f; }
static inline double fromSingle(float value) { return value; }
static inline long wide(long value) { return value * 4; }
static inline double square(double value) { return value * value; }
static inline bool isSmall(int value) { return value; }
static inline double &pick(double *row, int j) { return row[j]; }
static inline double mixed(const double &a, const double &b, double w) { return a * (1 - w) + b * w; }
static inline double clamped(double value, double low, double high) { return value < low ? low : value > high ? high : value; }
static inline unsigned sum(unsigned a, unsigned b) { return a + b; }

static double total(const std::vector<double> &all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum = sum * 0.999 + all[i];
  return sum;
}

// Elements of a class, as elements of its array: in blocks.
// CHECK-LABEL: void muster_smooth_
// CHECK:         MUSTER_BLOCKS == 1
// CHECK:         b_data[i * b_columns + j] = 0.25 * (a_data[(i - 1) * a_columns + j] + a_data[(i + 1) * a_columns + j] +
static void smooth(const Grid &a, Grid &b) {
#pragma omp parallel for
  for (int i = 1; i < a.rows - 1; ++i)
    for (int j = 1; j < a.columns - 1; ++j)
      b(i, j) = 0.25 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a.at(a.place(i, j + 1)));
}

// CHECK-LABEL: void muster_fields_
// CHECK:         MUSTER_BLOCKS == 1
static void fields(const Field &a, Field &b, std::size_t n) {
#pragma omp parallel for
  for (std::size_t i = 1; i < n - 1; ++i)
    for (std::size_t j = 1; j < a.width - 1; ++j) b(i, j) = 0.5f * (a(i, j - 1) + a(i, j + 1)) - a(i + 1, j);
}

// What has an effect, or is long and used twice, is there once: the call stays.
// CHECK-LABEL: static double square(
// CHECK-LABEL: void muster_conversions_
static void conversions(const double *in, double *out, int n) {
  const auto place = [n](int i, int j) { return i * n + j; };
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int k = flat(i, j, n), many = i * 700 + j;
      const double x = in[place(i, j)];
      double y = narrow(many) + byte(many * 5) + single(x) + fromSingle(x * 1.1) + wide(many) * 1e-3;
      y += square(x) + square(in[k] + in[place(j, i)]) + isSmall(many & 2) + isSmall(x > 50) + sum(many, -7) * 1e-6;
      y += mixed(in[k], in[place(j, i)], 0.25) + clamped(in[k] - 3, 2, x / 2) + square(k++);
      y += flat(k, k & 1, 3);
      pick(out + i * n, j) = y;
    }
}

// A parameter under the name of another argument.
static inline int one(int i, int n) { return i + n; }
static inline int other(int n, int i) { return one(n, i) * 2 + one(i * n, 1); }
static void names(int *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = other(i + 1, n - i) + one(n, i);
}

// What has a type by its braces.
static inline long asLong(int i) { return {i}; }
static inline double asDouble(int i) { return double{(float)i}; }
static inline long nothing() { return long(); }
static inline long times(long value) { return value * 100000; }
static inline double part(double value) { return 1 / value; }
template <class T>
static T none() {
  return T{};
}
static void braces(double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = i + 30000;
    double s = asLong(k) * 100000 + asDouble(k) / 7 + (nothing() + k) * 100000 + times({k}) + part({2}) + times(long{k});
    s += long{k} * 100000 + 1 / double{3} + (none<unsigned>() - k) * 0.5 + (long)(none<long>() + k) * k * k;
    out[i] = s;
  }
}

int main() {
  const int n = 67, m = 45;
#pragma ompx managed(a, b, in, out)
  std::vector<double> a(n * m), b(n * m), in(n * n), out(n * n);
  for (int i = 0; i < n * m; ++i) a[i] = i * 37 % 101, b[i] = i % 7;
  for (int i = 0; i < n * n; ++i) in[i] = (i * 29 % 83) * 1.37;
  Grid from{n, m, a.data()}, to{n, m, b.data()};
  smooth(from, to);
  Field one, two;
  one.width = two.width = m;
  one.values.resize(n * m), two.values.resize(n * m);
  for (int i = 0; i < n * m; ++i) one.values[i] = i * 41 % 97;
  fields(one, two, n);
  conversions(in.data(), out.data(), n);
#pragma ompx managed(numbers)
  std::vector<int> numbers(n);
  names(numbers.data(), n);
  printf("%.17g\n", total(out));
  braces(out.data(), n);
  long all = 0;
  for (int i = 0; i < n; ++i) all = all * 3 + numbers[i];
  printf("%.17g %.17g %.17g %ld\n", total(b), total(std::vector<double>(two.values.begin(), two.values.end())), total(out), all);
}
