// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas of a loop's body whose copies have other values than the variables: changed later, or by the lambda itself, or
// one for each call that returned a lambda. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=facts %s -o %t.muster 2> %t.remarks \
// RUN:   | FileCheck --check-prefix=FACTS %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: FileCheck %s < %t.remarks
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.err | diff %t.expected -
// RUN: not grep -i "does not build" %t.err
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <algorithm>
#include <utility>

#include "Inputs/wild_report.h"

struct Grid {
  double* u;
  int shift;
};

static auto at(int k) {
  return [k](int j) { return j + k; };
}
static auto elementOf(double* p) {
  return [p](int j) -> double& { return p[j]; };
}
static auto inside(const Grid& g) {
  return [&g](int j) { return g.u[j + g.shift]; };
}
template <class F>
struct Scaled {
  F f;
  double by;
  double operator()(int j) const { return by * f(j); }
};
static auto scaled(int k) {
  auto f = [n = 2 * k](int j) { return j + n; };
  return Scaled<decltype(f)>{f, 0.5};
}
template <class F>
static double callMoved(F&& f, double x) {
  auto own = std::forward<F>(f);
  return own(x);
}

struct Sim {
  double* u;
  auto view() const {
    return [this](int j) { return u[j]; };
  }
};

int main() {
  const int n = 211;
  int k = 5;
#pragma ompx managed(a, b)
  double *a = new double[3 * n], *b = new double[3 * n];
  fill(a, 3 * n), fill(b, 3 * n, 3);
  Grid near{a, 0}, far{b, n};
  Sim left{a}, right{b};

  // Copies that change: also on devices.
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double x = a[i];
    auto times = [x](double y) { return x * y; };
    x += 3;
    b[i] = times(2) + x;
    for (int j = 0; j < 3; ++j) {
      auto plus = [=](double y) { return y + j + x; };
      x *= 0.5;
      b[i] += plus(j) + callMoved([=](double y) { return y * j; }, x);
    }
  }
  report("changed", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int at = i;
    auto here = [at] { return at; };
    at += n;
    auto there = [&, at] {
      auto nested = [=] { return at + here(); };
      return nested();
    };
    at = 2 * n;
    b[here()] = a[there() - i] + at;
  }
  report("indexes", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double& first = a[i];
    auto before = [first](double y) { return first + y; };
    a[i] = i;
    auto rest = [n, k](int j) { return j % n + k; };
    b[i] = before(1) + rest(i);
  }
  report("constants", b, n);

  // Mutable lambdas.
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: uses a mutable lambda
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto next = [seed = i * 7u, k]() mutable {
      seed = seed * 1664525u + 1013904223u;
      return (seed >> 8) % 100 + ++k;
    };
    b[i] = next();
    auto other = next;
    b[i] += 2 * other() + 3 * next() + k;
  }
  report("generators", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: uses a mutable lambda
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int t[4], end = 1;
    std::generate(t, t + 4, [i]() mutable { return i++; });
    auto rising = [end](int j) mutable {
      double s = 0;
      ++end;
      for (int m = 0; m < end; ++m) s += j * m;
      return s;
    };
    b[i] = t[3] + rising(2) + rising(3) + end + i;
  }
  report("generate", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    auto add = [&](double x) mutable { return sum += x; };
    add(a[i]), add(1);
    b[i] = sum;
  }
  report("by reference", b, n);

  // Lambdas that functions return: as many values as calls. Their indexes are unknown.
// CHECK: [[# @LINE + 4]]:1: remark: {{.*}} runs on CPUs only: uses a lambda that a function returns
// FACTS: loop [[# @LINE + 3]]
// FACTS: reads a[?]
// FACTS: writes b[?]
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto own = at(i), other = at(2 * i + n);
    b[own(0)] = a[other(0)] + i;
  }
  report("returned", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: {{.*}}
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto make = [&](int q) {
      return [=](int j) { return q * j + k; };
    };
    auto first = make(i), second = make(n + i);
    b[i] = first(3) + second(4) + scaled(i)(3) + scaled(k)(2);
  }
  report("made", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} runs on CPUs only: uses a lambda that a function returns
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double s = 0;
    auto make = [&](int q) {
      s += q;
      return [](double x) { return 2 * x; };
    };
    auto twice = make(i);
    b[i] = twice(2) + s;
  }
  report("effects", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} stays plain OpenMP {{.*}} returns a lambda expression that captures 'p'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto to = elementOf(b), from = elementOf(a);
    to(i) = from(2 * i) + 1;
  }
  report("pointers", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} stays plain OpenMP {{.*}} returns a lambda expression that captures 'g'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto one = inside(near), two = inside(far);
    b[i] = one(i) + two(i);
  }
  report("objects", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} stays plain OpenMP {{.*}} returns a lambda expression that captures 'this'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto one = left.view(), two = right.view();
    b[i] = one(i) + two(2 * n + i);
  }
  report("this", b, n);

  // Copies that are no numbers.
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} stays plain OpenMP {{.*}} captures a copy of 'p', which changes
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double* p = a + i;
    auto element = [p](int j) { return p[j]; };
    p += n;
    b[i] = element(0) + *p;
  }
  report("moved", b, n);
// CHECK: [[# @LINE + 1]]:1: remark: {{.*}} stays plain OpenMP {{.*}} contains a mutable lambda expression with a copy of 'p'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double* p = a + i;
    auto next = [p]() mutable { return *p++; };
    b[i] = next() + next();
  }
  report("walking", b, n);
// CHECK-NOT: remark:
  delete[] a;
  delete[] b;
}
