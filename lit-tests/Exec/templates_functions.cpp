// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in function templates, member functions of class templates and generic lambdas: each instantiation has a
// kernel of its own. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Wall -Wextra -Werror -Wno-unused-parameter -fplugin-arg-muster-remarks=none \
// RUN:   -fplugin-arg-muster-print=plan %s -o %t.muster 2> %t.said | FileCheck %s
// RUN: count 0 < %t.said
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=pocl MUSTER_CACHE_DIR=%t.caches POCL_CACHE_DIR=%t.caches %t.muster > %t.pocl
// RUN: diff %t.expected %t.pocl
// CHECK-COUNT-22: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <type_traits>

#include "Inputs/wild_report.h"

template <class T>
void scale(T *out, const T *in, int n, T factor) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = in[i] * factor + T(1);
}

// Structure differs: which arrays are used, reductions, statements that would not compile for the other type.
struct Plain {
  float x;
};
template <class T, int N>
T shifted(T *a, T *b, std::size_t n) {
  T sum = T();
  constexpr int shift = N * 2 - 1;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < n - shift; ++i) {
    if constexpr (std::is_integral<T>::value) {
      a[i] = b[i + shift] % T(N + 1);
    } else {
      a[i] = b[i] / N;
    }
    if constexpr (N > 2)
      if (i % N == 0) a[i] += 1;
    sum += a[i];
  }
  return sum;
}

template <class T>
struct Grid {
  static constexpr int halo = sizeof(T) / 4;
  template <class I>
  void smooth(T *out, const T *in, I rows, I columns) const;
  void clear(T *out, int n) {
    const T zero = T(halo);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) out[i] = zero;
  }
};
template <class T>
template <class I>
void Grid<T>::smooth(T *out, const T *in, I rows, I columns) const {
#pragma omp parallel for collapse(2)
  for (I i = halo; i < rows - halo; ++i)
    for (I j = 1; j < columns - 1; ++j)
      out[i * columns + j] = (in[i * columns + j - 1] + in[i * columns + j + 1] + in[(i - halo) * columns + j]) / T(3);
}

template <int N, typename = typename std::enable_if<(N > 0)>::type>
void rows(double (*a)[N], int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < N; ++j) a[i][j] = i * 10 + j;
}

template <class T>
T unused(T *a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i].nothing();
}

template <class T>
void withVector(std::vector<T> &v, T *last) {
  T seen = T();
#pragma omp parallel for lastprivate(seen)
  for (int i = 0; i < static_cast<int>(v.size()); ++i) {
    v[i] += static_cast<T>(i);
    seen = v[i];
  }
  *last = seen;
}
template void withVector<short>(std::vector<short> &, short *);

template <>
void withVector<char>(std::vector<char> &v, char *last) {
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(v.size()); ++i) v[i] = 'a' + i % 7;
  *last = 'z';
}

template <class... Ts>
void each(Ts *...arrays) {
  auto fillOne = [](auto *a, auto value) {
#pragma omp parallel for
    for (int i = 0; i < 37; ++i) a[i] = a[i] / 2 + value;
  };
  (fillOne(arrays, sizeof(*arrays)), ...);
}

template <class T>
void testType(const char *name, int n) {
#pragma ompx managed(a, b)
  T *a = new T[n], *b = new T[n];
  fill(b, n);
  scale(a, b, n, T(3));
  report(name, a, n);
  std::printf("%.9g\n", double(shifted<T, 1>(a, b, n)));
  report(name, a, n);
  if (sizeof(T) == 4) std::printf("%.9g\n", double(shifted<T, 3>(a, b, n)));
  report(name, b, n);
  Grid<T> grid;
  grid.clear(a, n);
  grid.smooth(a, b, n / 13, 13);
  report(name, a, n);
  delete[] a;
  delete[] b;
}

int main() {
  testType<double>("double", 1001);
  testType<float>("float", 997);
  testType<int>("int", 613);
#pragma ompx managed(m)
  double(*m)[5] = new double[101][5];
  rows(m, 101);
  report("rows", &m[0][0], 505);
#pragma ompx managed(v)
  std::vector<float> v(333, 1.5f);
  float last;
  withVector(v, &last);
  std::printf("%g\n", last);
  report("vector", v.data(), 333);
  std::vector<char> c(50);
  char z;
  withVector(c, &z);
  report("char", c.data(), 50);
  Grid<double>().smooth(&m[0][0], &m[0][0] + 250, 5L, 10L);
  report("long", &m[0][0], 505);
#pragma ompx managed(p)
  double *p = new double[37]();
  each(p, &v[0]);
  report("pack", p, 37);
  report("pack", v.data(), 333);
  delete[] m;
  delete[] p;
}
