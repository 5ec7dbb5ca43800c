// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements, functions and types in a body; the plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O2 -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// CHECK-COUNT-21: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back}}
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "Inputs/loop_report.h"

const int n = 500;
constexpr double scale = 0.1;
static const double offsets[] = {0.5, 1.5, 2.5, 3.5};
static int level = 4;
namespace deep {
double factor = 1.25;
}
enum Kind { Small, Large = 40 };
enum class Mode : short { Off, On };

struct Point {
  double x, y;
};

static double square(double x) { return x * x; }
static double level4(double x) { return x + level + deep::factor; }
static int collatz(int k) {
  int steps = 0;
  while (k != 1 && steps < 100) {
    k = k % 2 ? 3 * k + 1 : k / 2;
    ++steps;
  }
  return steps;
}
static double sumOf(const double* p, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += p[i];
  return sum;
}
static void add(double& target, double value) { target += value; }
static void store(double* p, int i, double value) { p[i] = value; }
static double& element(double* p, int i) { return p[i]; }
template <class T>
static T twice(T value) {
  return value + value;
}
static int early(const double* a, int i) {
  if (a[i] < 30) return 1;
  for (int k = 0; k < 3; ++k)
    if (a[i] > 30 + 20 * k) return k;
  return -1;
}
static double distance(const Point& p) { return std::sqrt(p.x * p.x + p.y * p.y); }

void statements(double* v, const double* u) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    switch (i % 4) {
      case 0: v[i] = 1; break;
      case 1:
      case 2: v[i] = u[i]; break;
      default: v[i] = -1;
    }
  }
  report("switch", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int k = 0;
    do {
      k += 3;
    } while (k < i);
    v[i] = k;
    while (k-- > 2) v[i] += 0.5;
  }
  report("do while", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (u[i] > 40)
      v[i] = u[i];
    else if (u[i] > 20)
      v[i] = 20;
    else
      v[i] = 0;
  report("if else", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double tmp[5] = {1, 2};
    for (int k = 0; k < 5; ++k) tmp[k] += u[i] * k;
    std::swap(tmp[0], tmp[4]);
    v[i] = tmp[0] - tmp[4] + tmp[2];
  }
  report("local array", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = std::sqrt(u[i]) + fabs(-u[i]) + std::pow(u[i], 2) + std::max(u[i], 3.0) + exp(0.0);
  report("maths", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Point p = {u[i], 2};
    Point q = p;
    q.y += 1;
    v[i] = distance(q) + offsets[i % 4] + scale;
  }
  report("struct", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const auto x = u[i];
    const double& y = u[i];
    double& z = v[i];
    z = x + y;
    z += (i & 1) ? Small : Large;
  }
  report("references", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    ;
    v[i] = i, v[i] += 2;
    { v[i] *= 2; }
  }
  report("commas", v, n);
}

void functions(double* v, const double* u) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = square(u[i]) + collatz(i + 1);
  report("values", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = level4(u[i]);
  report("globals", v, n);
  level = 9;
  deep::factor = 3;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = level4(u[i]) * level * deep::factor;
  report("globals changed", v, n);
#pragma omp parallel for
  for (int i = 0; i < n - 5; ++i) v[i] = sumOf(u + i, 5) + sumOf(&u[i], 2);
  report("pointers", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    add(v[i], u[i]);
    double local = 1;
    add(local, 3);
    store(v, i, v[i] + local);
    element(v, i) += 1;
  }
  report("written through", v, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = twice(u[i]) + twice(i) + early(u, i);
  report("templates", v, n);
}

void scalars(double* v, const double* u, const float& factor, bool negate, Mode mode) {
  const int half = n / 2;
  const double third = 1.0 / 3;
  const long count = level * 3L;
  long double wide = 1.5L;
  std::int8_t small = -3;
  constexpr int two = 2;
  Kind kind = Large;
#pragma omp parallel for
  for (int i = 0; i < half; ++i) {
    double tmp[two];
    tmp[0] = u[i] * factor + third;
    tmp[1] = negate ? -tmp[0] : tmp[0];
    v[two * i] = tmp[1] + count + small + (mode == Mode::On ? 1 : 2) + kind;
    v[two * i + 1] = (double)wide;
  }
  report("scalars", v, n);
  {
    struct Local {
      double value;
    };
    enum { A = 3, B = 5 } which = B;
    typedef double real;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      Local l = {u[i]};
      real r = l.value;
      v[i] = r + which + A;
    }
    report("local types", v, n);
  }
}

struct Solver {
  static double half(double x) { return x / 2; }
  static void run(double* v, const double* u) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) v[i] = half(u[i]);
    report("static member", v, n);
  }
};

inline void inInline(double* v, const double* u) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) v[i] = u[i] - 4;
  report("inline", v, n);
}

int main() {
#pragma ompx managed(u)
  double* u = new double[n];
#pragma ompx managed(v)
  double* v = new double[n];
  fill(u, n);
  fill(v, n, 2);
  statements(v, u);
  functions(v, u);
  scalars(v, u, 2.5f, true, Mode::On);
  Solver::run(v, u);
  inInline(v, u);
  auto lambda = [&](int add) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) v[i] = u[i] + add;
    report("lambda", v, n);
  };
  lambda(7);
  for (int t = 0; t < 3; ++t)
    if (t != 1)
#pragma omp parallel for
      for (int i = 0; i < n; ++i) v[i] += t;
    else
      v[0] = 5;
  report("without braces", v, n);
#define COUNT (n - 10)
#define TERM(x) ((x)*2 + 1)
#pragma omp parallel for
  for (int i = 0; i < COUNT; ++i) {
    v[i] = TERM(u[i]);
#ifdef COUNT
    v[i] += 1;
#endif
  }
  report("macros", v, n);
  delete[] u;
  delete[] v;
}
