// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are members: allocated in constructors, methods and through objects, grown, moved and released.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_INFO=1 %t 2>&1 | FileCheck --check-prefix=INFO %s
// INFO-DAG: u_ ({{.*}}storage_members.cpp
// INFO-DAG: rho_ ({{.*}}storage_members.cpp
// INFO-DAG: owned_ ({{.*}}storage_members.cpp
// INFO-DAG: q ({{.*}}storage_members.cpp
// INFO-NOT: does not point into a managed array
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

static void scale(double *a, int n, double by) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = a[i] * by + i;
}
static double sum(const double *a, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) total += a[i];
  return total;
}

class Grid {
 public:
  explicit Grid(int n) : u_(new double[n]()), rho_(n, 1.5), owned_(new double[n]()), n_(n) {
    if (n == 13) throw std::runtime_error("unlucky");
  }
  Grid(const Grid &) = delete;
  ~Grid() { delete[] u_; }
  void step() {
    scale(u_, n_, 2);
    scale(rho_.data(), n_, 3);
    scale(owned_.get(), n_, 4);
  }
  void grow(int n) {
    double *bigger = new double[n]();
    for (int i = 0; i < n_; ++i) bigger[i] = u_[i];
    delete[] u_;
    u_ = bigger;
    rho_.resize(n, 0.25);
    auto next = std::make_unique<double[]>(n);
    for (int i = 0; i < n_; ++i) next[i] = owned_[i];
    owned_ = std::move(next);
    owned_.reset(new double[n]());
    n_ = n;
  }
  void print() const { std::printf("%d %g %g %g\n", n_, sum(u_, n_), sum(rho_.data(), n_), sum(owned_.get(), n_)); }

 private:
#ifdef __MUSTER__
#pragma omp managed(u_)
#endif
  double *u_;
#ifdef __MUSTER__
#pragma omp managed(rho_)
#endif
  std::vector<double> rho_;
#ifdef __MUSTER__
#pragma omp managed(owned_)
#endif
  std::unique_ptr<double[]> owned_;
  int n_;
};

struct Tube { double *q; int n; };

static void exchange(int n) {
  Tube a = {nullptr, n}, b = {nullptr, n};
#ifdef __MUSTER__
#pragma omp managed(a.q)
#endif
  a.q = (double *)std::calloc(n, sizeof(double));
#ifdef __MUSTER__
#pragma omp managed(b.q)
#endif
  b.q = (double *)std::calloc(n, sizeof(double));
  for (int t = 0; t < 3; ++t) {
    scale(a.q, n, 2);
    std::swap(a.q, b.q);
  }
  std::printf("%g %g\n", sum(a.q, n), sum(b.q, n));
  std::free(a.q);
  std::free(b.q);
}

int main() {
  Grid grid(101);
  grid.step();
  grid.print();
  grid.step();
  grid.grow(211);
  grid.step();
  grid.print();
  for (int t = 0; t < 5; ++t) {
    Grid again(31 + t);
    again.step();
    again.print();
  }
  try {
    Grid unlucky(13);
  } catch (const std::runtime_error &error) {
    std::printf("%s\n", error.what());
  }
  exchange(57);
  exchange(1);
}
