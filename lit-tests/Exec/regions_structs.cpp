// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of each thread of a region that are added up member by member in C++: operators, methods, instances of templates. All
// loops are launched.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Wall -Wextra -Werror -fplugin-arg-muster-strict %s -o %t && %run MUSTER_DEVICES=cpu %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
#include <cstdio>
#include <vector>

template <class T>
struct Vec3 {
  T x, y, z;
  Vec3 &operator+=(const Vec3 &other) {
    x += other.x;
    y += other.y;
    z += other.z;
    return *this;
  }
  void add(T value) { this->x += value, y -= value; }
};

typedef struct {
  double real, imag;
} dcomplex;
static inline dcomplex operator+(const dcomplex &a, const dcomplex &b) { return dcomplex{a.real + b.real, a.imag + b.imag}; }
static inline void accumulate(dcomplex &sum, const dcomplex &value) {
  sum.real += value.real;
  if (value.imag > 3) sum.imag += value.imag;
}

static Vec3<double> total(const Vec3<double> *points, int n) {
  Vec3<double> sum = {0, 0, 0};
#pragma omp parallel
  {
    Vec3<double> mine = {0, 0, 0};
#pragma omp for
    for (int i = 0; i < n; ++i) {
      mine += points[i];
      mine.add(2);
    }
#pragma omp critical
    sum += mine;
  }
  return sum;
}

int main() {
  const int n = 3000;
#pragma ompx managed(points, values)
  std::vector<Vec3<double>> points(n);
  std::vector<dcomplex> values(n);
  for (int i = 0; i < n; ++i) {
    points[i] = {i * 0.5, i % 7 * 0.25, 1.0};
    values[i] = {i % 11 * 0.5, i % 13 * 1.0};
  }
  const Vec3<double> first = total(points.data(), n);
  std::printf("%g %g %g\n", first.x, first.y, first.z);
  dcomplex sum = {0, 0}, all = {0, 0};
#pragma omp parallel
  {
    dcomplex mine{0, 0}, own{0, 0};
#pragma omp for
    for (int i = 0; i < n; ++i) {
      mine = mine + values[i];
      accumulate(own, values[i]);
    }
#pragma omp critical
    {
      sum = sum + mine;
      all = all + own;
    }
  }
  std::printf("%g %g %g %g\n", sum.real, sum.imag, all.real, all.imag);
}
