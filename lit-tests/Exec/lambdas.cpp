// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas that are made around a loop, with all kinds of captures, and in its body. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2> %t.remarks && %run %t.muster > %t.actual
// RUN: FileCheck --allow-empty --implicit-check-not=remark: %s < %t.remarks
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
#include <numeric>
#include <vector>

#include "Inputs/wild_report.h"

struct Op {
  double k;
  int mode;
  double operator()(double x) const { return mode ? x * k : x + k; }
};

struct Params {
  double scale;
  int shift;
};

struct Sim {
  double* u;
  int n;
  double dt;
  void step() {
    auto value = [this](int i) { return u[i] * dt; };
    auto place = [=, this](int i) -> double& { return u[i]; };
#pragma omp parallel for
    for (int i = 0; i < n; ++i) place(i) = value(i) + 1;
  }
};

template <class F>
void forAll(int n, F f) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f(i);
}

template <class F>
void map(double* a, int n, const F& f) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = f(a[i]);
}

int main() {
  int n = 211, k = 5;
#pragma ompx managed(a, b)
  double *a = new double[n], *b = new double[n];
  fill(a, n), fill(b, n, 3);
  Params p{0.5, 3};

  map(a, n, [](double x) { return 2 * x; });
  map(a, n, [=](double x) { return x + k; });
  map(a, n, [&](double x) { return p.scale * x; });
  forAll(n, [=](int i) { b[i] = p.scale * a[n - 1 - i]; });
  forAll(n, [&](int i) { b[i] += p.shift; });
  report("b", b, n);

  auto mirrored = [&](int i) { return n - 1 - i; };
  auto mean = [&](int i) { return 0.5 * (a[mirrored(i)] + a[i]); };
  auto element = [a](int i) -> double& { return a[i]; };
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] += mean(i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) element(i) += mirrored(i);
  report("b", b, n);

  double weights[4] = {1, 2, 3, 4};
  std::vector<double> factors{1, 2, 3};
  auto byReference = [&](int i) { return weights[i & 3] * factors[i % factors.size()]; };
  auto byValue = [=, s = 2.0, q = p](int i) { return weights[i & 3] * s + q.shift; };
  auto product = [](auto x, auto y) { return x * y; };
  weights[1] = 9;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] += product(byReference(i), byValue(i));
  report("b", b, n);

  auto before = [=](double x) { return x + k; };
  auto now = [&](double x) { return x + k; };
  k = 9;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = before(b[i]) * now(1);
  report("b", b, n);
  Sim{a, n, 0.125}.step();
  // Two objects of one class.
  auto compose = [](auto f, auto g) { return [=](double x) { return f(g(x)); }; };
  auto both = compose(Op{3, 1}, Op{2, 0});
  const int rows = 3;
  forAll(n, [&](int i) { b[i] = both(b[i]) + rows; });
  report("b", b, n);
  report("a", a, n);

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double half = 0.5 * i;
    double sum = 0;
    auto add = [&](double x) { sum += x * half + k + a[i]; };
    add(b[i]), add(1);
    double t[3] = {sum, half, 1};
    b[i] = std::accumulate(t, t + 3, 0.0, [&, twice = 2 * k](double x, double y) { return x + y * twice; });
    b[i] += [&] { return a[i] > 3 ? a[i] : half; }();
  }
  report("b", b, n);
  delete[] a;
  delete[] b;
}
