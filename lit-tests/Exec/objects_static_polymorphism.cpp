// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base classes that call the class derived from them by a cast of `this`: expression templates (CRTP). All loops are
// launched (strict).
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster 2> %t.warnings | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster 2> %t.warnings | diff %t.expected -
#include <cstdio>
template <class D>
struct Expr {
  const D &self() const { return static_cast<const D &>(*this); }
  double at(int i) const { return self().get(i); }
  double first() const { return static_cast<const D *>(this)->get(0); }
};
struct Vec : Expr<Vec> {
  double *p;
  int n;
  double get(int i) const { return p[i]; }
};
template <class A, class B>
struct Sum : Expr<Sum<A, B>> {
  A a;
  B b;
  Sum(const A &x, const B &y) : a(x), b(y) {}
  double get(int i) const { return a.at(i) + b.at(i); }
};
template <class D>
static double sum(const Expr<D> &e, int i) { return e.at(i) + e.self().get(i); }
int main() {
  const int n = 10000;
#pragma ompx managed(x)
  double *x = new double[n];
#pragma ompx managed(y)
  double *y = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) { x[i] = i + 1; y[i] = 0; }
  Vec vx; vx.p = x; vx.n = n;
  Sum<Vec, Vec> e(vx, vx);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) y[i] = e.at(i) + vx.first() + sum(e, i);
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += y[i];
  printf("%g\n", s);
}
