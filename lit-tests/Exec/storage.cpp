// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form of storage holds its values, in both units of the program, and is released without harm.
// RUN: %plain -w -DPLAIN %s %S/Inputs/storage_other.cpp -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 %s %S/Inputs/storage_other.cpp -o %t && %run %t one two > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: FileCheck %s < %t.actual
// RUN: %muster-link -O0 -g %s %S/Inputs/storage_other.cpp -o %t.debug && %run %t.debug | diff %t.expected -
#include "Inputs/storage_other.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#define RELEASE(p) do { free(p); (p) = nullptr; } while (0)

#ifndef PLAIN
#pragma omp managed(shared, filled)
#endif
double shared[16][32], filled[4] = {1, 2, 3};
#ifndef PLAIN
#pragma omp managed(hidden)
#endif
static int hidden[1000];
#ifndef PLAIN
#pragma omp managed(global)
#endif
std::vector<float> global(500, 2.5f);

struct Point { float x = 1.5f, y = 0; };

static std::vector<int> numbers(int n) {
  std::vector<int> result(n);
  std::iota(result.begin(), result.end(), 1);
  return result;
}

static int counter() {
#ifndef PLAIN
#pragma omp managed(calls)
#endif
  static int calls[2] = {5};
  return ++calls[0];
}

static void allocations(int n) {
#ifndef PLAIN
#pragma omp alloc_start
#pragma omp managed(u)
#endif
  double *u = new double[n]();
#ifndef PLAIN
#pragma omp managed(a, b)
#endif
  float *a = (float *)malloc(n * sizeof *a), *b = static_cast<float *>(std::calloc(n, sizeof(float)));
#ifndef PLAIN
#pragma omp alloc_end
#pragma omp managed(rows)
#endif
  double (*rows)[8] = new double[n][8]();
#ifndef PLAIN
#pragma omp managed(points)
#endif
  Point *points = new Point[n];
  for (int i = 0; i < n; ++i) a[i] = b[i] + i + static_cast<float>(u[i] + rows[i][7]) + points[i].x;
  a = static_cast<float *>(std::realloc(a, 2 * n * sizeof *a));
  std::printf("%g %g\n", a[0], a[n - 1]);
  delete[] u;
  delete[] rows;
  delete[] points;
  RELEASE(a);
  std::free(b);
}

static void vectors(int n) {
#ifndef PLAIN
#pragma omp managed(v, w)
#endif
  std::vector<double> v(n, 1), other, w = {1, 2, 3};
#ifndef PLAIN
#pragma omp managed(x)
#endif
  auto x = numbers(n);
  v.resize(2 * n, 4);
  for (int i = 0; i < n; ++i) w.push_back(i);
  std::swap(v, w);
  x = numbers(n + 1);
  other = v;
  std::printf("%zu %zu %g %g %d %g\n", v.size(), w.size(), std::accumulate(v.begin(), v.end(), 0.0),
              std::accumulate(w.begin(), w.end(), 0.0), x.back(), other[4]);
}

static double locals(int depth) {
  double scale = depth;
#ifndef PLAIN
#pragma omp managed(a, b)
#endif
  double a[4][4] = {}, b[3] = {1, scale, 3};
  a[depth][0] = b[1];
  return sizeof a / sizeof a[0] + a[depth][0] + (depth ? locals(depth - 1) : 0);
}

int main() {
  allocations(1000);
  vectors(100);
  const int first = counter(), second = counter();
  std::printf("%g %d %d\n", locals(3), first, second);
  shared[3][4] = 7;
  hidden[999] = 9;
  global.push_back(1);
  std::printf("%g %g %d %g\n", sumOfShared(), filled[1] + filledOf(2), hidden[999] + hidden[0], global[499] + global[500]);
}
// CHECK: 1.5 1000.5
// CHECK: 103 200 4956 500 101 1
// CHECK: 22 6 7
// CHECK: 7 5 9 3.5
