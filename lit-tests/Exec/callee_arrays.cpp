// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++: functions that a loop calls name managed global arrays and pointers, of namespaces and by overloaded functions.
// Those whose text cannot be copied to the loop keep it where it is. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-summary %s -o %t.muster 2>&1 | %filecheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t.muster 2>&1 | FileCheck %s --check-prefix=INFO
// INFO-COUNT-5: 3 launches,
//
// CHECK: remark: loop stays plain {{.*}}: calls 'scaled', which uses the global 'field'; give it a pointer
// CHECK: remark: loop stays plain {{.*}}: calls 'at', which uses the global 'field'; give it a pointer
// CHECK: remark: loop stays plain {{.*}}: calls 'ofLimit', which uses the global 'field'; give it a pointer
// CHECK: remark: loop stays plain {{.*}}: calls 'ofDefault', which uses the global 'field'; give it a pointer
// CHECK: remark: loop stays plain {{.*}}: calls 'value', which uses the global 'field'; give it a pointer
// CHECK: remark: loop stays plain {{.*}}: calls 'hidden', which uses the global 'field'; give it a pointer
// CHECK: remark: loop stays plain {{.*}}: calls 'value', which uses the global 'field'; give it a pointer
// CHECK: remark: loops: 5 for all devices, 0 for CPUs only, 7 plain OpenMP
#include <algorithm>
#include <cmath>
#include <cstdio>

constexpr int n = 400;
namespace model {
#pragma ompx managed(field)
static double field[n];
#pragma ompx managed(weights)
static float *weights = new float[n]();
static double value(int i) { return field[i % n] + std::sqrt(1.0 + weights[(i + 1) % n]); }
static double value(double x) { return x * weights[0]; }
static void put(int i, const double &x) { field[i] = std::max(x, value(x)) * 0.5; }
}  // namespace model
static int limit = 3, bias = 1;
namespace model {
static double hidden(int i) { return field[i] + bias; }
}  // namespace model

namespace model {
namespace inner {
static int bias = 100;
static double both(int i) { return value(i) + value(0.5 * i) + (i % 2 ? field[0] : weights[0]); }

template <class T> static T scaled(T x, int i) { return x * static_cast<T>(field[i]); }
struct View {
  int offset;
  double at(int i) const { return field[(i + offset) % n]; }
};
static double ofLimit(int i) { return i < limit ? field[i] : 0; }
static double ofDefault(int i, double x = 2) { return x * field[i]; }

static void plain(double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += scaled(2.0, i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += View{3}.at(i);
  {
    const int limit = 7;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += ofLimit(i) + limit;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += ofDefault(i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const auto twice = [](int k) { return 2 * value(k); };
    a[i] += twice(i);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += hidden(i) * bias;
}

struct Holder {
  double value(int i, int k) { return i + k; }
  void run(double *a) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += model::value(i);
  }
};

static double total(const double *a) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 7 + 1);
  return s;
}

static void run(double *a) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i) weights[i] = i % 5 + round;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) put(i, a[i] + i % 13);
    std::printf("%g\n", total(field));
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = value(i);
    std::printf("%g\n", total(a));
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += both(i) + value(value(i));
    std::printf("%g\n", total(a));
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) collapse(2)
    for (int i = 0; i < 20; ++i)
      for (int k = 0; k < 20; ++k) {
        const int at = i + k;
        sum += value(at) + a[at];
      }
    std::printf("%g\n", sum);
  }
}
}  // namespace inner
}  // namespace model

static void outside(double *a) {
  for (int round = 0; round < 3; ++round)
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += i % 3;
}

int main() {
#pragma ompx managed(a)
  double *a = new double[n]();
  model::inner::run(a);
  outside(a);
  model::inner::plain(a);
  model::inner::Holder().run(a);
  std::printf("%g\n", model::inner::total(a));
  delete[] a;
  delete[] model::weights;
}
