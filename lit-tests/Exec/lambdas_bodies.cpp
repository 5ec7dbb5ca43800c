// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas that are made in a loop's body, with all kinds of captures: functions of the kernel. The plain program is the
// oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan %s -o %t.muster | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.err | diff %t.expected -
// RUN: not grep -i "does not build\|runs natively" %t.err
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// CHECK-COUNT-17: {{^}}kernel
// CHECK-NOT: {{^kernel|^step back|native only}}
#include <algorithm>
#include <numeric>
#include <vector>

#include "Inputs/wild_report.h"

struct Point {
  double x, y;
};

template <class F>
static double twice(F f, double x) {
  return f(f(x));
}

template <class F, class T>
static T fold(const T* values, int n, T start, F&& f) {
  for (int k = 0; k < n; ++k) start = f(start, values[k]);
  return start;
}

// A lambda of a function, of which there are two texts: over elements and over private data.
static double scaled(const double* row, int n, double by) {
  auto element = [=](int k) { return row[k] * by; };
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += element(k);
  return sum;
}

struct Sim {
  double* u;
  int n;
  double dt;
#pragma ompx managed(rho)
  std::vector<double> rho = std::vector<double>(n, 2.0);
  double damped(double x) const { return x * (1 - dt); }
  void step() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      auto flux = [this, i](int k) { return damped(u[i]) * dt + k; };
      auto add = [&](double x) { u[i] += x; };
      add(flux(1));
      add(flux(2));
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      auto byValue = [=](int k) { return damped(u[i]) + rho[k]; };
      auto both = [=, this, &i](int k) { return byValue(k) + this->u[i] * dt; };
      auto byReference = [&, this] { return both(i % 3) + dt; };
      u[i] = byReference();
    }
    // Called where they are made: in several statements, in each other, with a count of their own.
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const double c = [&] {
        if (i % 3 == 0) return dt;
        return u[i] + n;
      }();
      u[i] = c + [this, k = i % 5]() mutable { return damped(++k) + [&] { return rho[k] * dt; }(); }();
    }
#pragma omp parallel for
    for (int i = 0; i < n; ++i) [=, this](double x) { u[i] += x + rho[i % n]; }(dt);
  }
};

int main() {
  int n = 211, k = 5;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
#pragma ompx managed(v)
  std::vector<double> v(n, 1.5);
  fill(a, n), fill(b, n, 3);
  double c = 0.5;

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto f = [&](double x) { return c * x; };
    a[i] = f(b[i]);
  }
  report("a", a, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0, half = 0.5 * i;
    int calls = 0;
    auto add = [&](double x) {
      sum += x * half + k;
      ++calls;
    };
    for (int j = 0; j < 3; ++j) add(a[(i + j) % n]);
    const auto scale = [half, &calls](auto x, auto y) { return x * half + y * calls; };
    b[i] = scale(sum, 2) + scale(1, 0.5f);
    b[i] += [&] { return a[i] > 3 ? a[i] : half; }();
  }
  report("b", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int at = 0;
    double t[4];
    auto next = [&]() -> double& { return t[at++]; };
    for (int j = 0; j < 4; ++j) next() = a[i] * j;
    t[1] += [&] { return t[2] + t[3]; }();
    a[i] = fold(t, 4, 0.0, [&](double x, double y) { return x + y * at; });
    a[i] += std::accumulate(t, t + 3, 0.0, [&, by = 2 * k](double x, double y) { return x + y * by; });
  }
  report("a", a, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto inner = [&](double x) { return x + a[i]; };
    auto outer = [&](double x) { return inner(x) * 0.5 + i; };
    b[i] = twice(outer, b[i]) + twice([&](double x) { return outer(x) - k; }, 1);
    auto same = outer;
    b[i] -= same(2);
  }
  report("b", b, n);
  int wide = n / 7;
#pragma omp parallel for
  for (int i = 0; i < 7; ++i) {
    double* row = a + i * wide;
    const double& first = row[0];
    Point p{1, 2};
    auto at = [&](int j) -> double& { return row[j]; };
    auto move = [&, by = first * 0.25](double x) {
      p.x += x + by;
      p.y *= 0.5;
      return first + p.x;
    };
    for (int j = 1; j < wide; ++j) at(j) += move(j);
    at(0) = p.x - p.y;
  }
  report("rows", a, n);
  double total = 0;
  int most = 3;
#pragma omp parallel for reduction(+ : total) firstprivate(most)
  for (int i = 0; i < n; ++i) {
    auto count = [&](double x) { total += x > most ? x : 0; };
    count(a[i]);
    auto change = [&] { most = i % 4; };
    change();
    count(b[i]);
  }
  std::printf("total %.17g\n", total);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double local[3] = {1, 2, 3};
    v[i] = scaled(local, 3, 0.5) + scaled(&a[i], 1, v[i]);
  }
  report("v", v.data(), n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto size = [&] { return v.size() - i; };
    auto pick = [&](int j) { return j % 2 ? v[j] : v[n - 1 - j]; };
    auto tests = [&](auto test) { return test(i) || test(a[i]); };
    if (tests([](auto x) { return x > 100; })) b[i] = 1;
    else b[i] = size() + pick(i);
    if (auto isSmall = [&](double limit) { return b[i] < limit; }; isSmall(50)) b[i] *= 2;
  }
  report("b", b, n);
#pragma omp parallel for
  for (double& x : v) {
    auto square = [](double y) { return y * y; };
    x = square(x) + [&x, s = c * 2](double y) { return x * s - y; }(3);
  }
  report("v", v.data(), n);
  Sim sim{a, n, 0.125};
  sim.step();
  report("rho", sim.rho.data(), n);
  report("a", a, n);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) {
      auto at = [=](int x, int y) { return x * 10 + y; };
      a[at(i, j)] = i * 0.5 + j;
    }
  report("a", a, n);
#pragma omp parallel for
  for (int i = 0; i < 20; ++i) {
    auto row = [&](int j) -> double& { return b[i * 10 + j]; };
    for (int j = 0; j < 10; ++j) row(j) = i - j;
  }
  report("b", b, n);
#pragma omp parallel for
  for (int i = 0; i < 20; ++i) {
    int pos = 3 * i;
    auto next = [&] { return pos++; };
    for (int j = 0; j < 3; ++j) b[next()] = j;
  }
  report("b", b, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    static constexpr double weights[3] = {0.25, 0.5, 0.25};
    const int reach = 2;
    auto weighted = [&](int j) { return weights[j % 3] * reach * b[i]; };
    a[i] = weighted(0) + weighted(1);
  }
  report("a", a, n);
  delete[] a;
  delete[] b;
}
