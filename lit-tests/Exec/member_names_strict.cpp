// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members with qualifiers, and of anonymous unions and structs, in methods: all loops are launched.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
struct B { int k = 2; int get(int i) const { return k + i; } };
struct D : B { double *u; int n;
  void a() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += B::k; }
  void b() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += this->B::k + D::n; }
  void c() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += B::get(i); }
};
template <class T> struct Base { T *u; int n; };
template <class T> struct Derived : Base<T> {
  using P = Base<T>;
  void a() {
    #pragma omp parallel for
    for (int i = 0; i < this->n; ++i) Base<T>::u[i] += 1; }
  void b() {
    #pragma omp parallel for
    for (int i = 0; i < P::n; ++i) P::u[i] += P::n; }
  using Base<T>::u; using Base<T>::n;
  void c() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += 1; }
};
struct S {
  double *u; int n;
  union { int a; float b; };
  struct { int c, d; };
  void one() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += a; }
  void two() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += c; }
  void three() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += this->a + this->d; }
};
static void anonymous() {
  S s{}; s.n = 1000; s.a = 4; s.c = 5; s.d = 6; S *g = &s;
  #pragma ompx managed(s.u)
  s.u = new double[s.n]();
  s.one(); s.two(); s.three();
  #pragma omp parallel for
  for (int i = 0; i < s.n; ++i) s.u[i] += s.a + s.c;
  #pragma omp parallel for
  for (int i = 0; i < g->n; ++i) g->u[i] += g->a + g->d;
  double x = 0; for (int i = 0; i < s.n; ++i) x += s.u[i];
  printf("%g\n", x);
}
int main() {
  anonymous();
  D s{}; s.n = 1000; Derived<double> t{}; t.n = 1000;
  #pragma ompx managed(s.u)
  s.u = new double[s.n]();
  #pragma ompx managed(t.u)
  t.u = new double[t.n]();
  s.a(); s.b(); s.c(); t.a(); t.b(); t.c();
  double x = 0; for (int i = 0; i < s.n; ++i) x += s.u[i] + t.u[i];
  printf("%g\n", x);
}
