// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members with qualifiers, and of anonymous unions and structs, in methods.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
struct B { int k = 2, t = 3; double w[3] = {1, 2, 3}; int get(int i) const { return k + i; } };
#define MINE B::k
struct D : B { double *u; int n; int k = 9;
  union { int a; float b; struct { short lo, hi; }; };
  void a1() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += B::k + k; }
  void b1() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += B::w[i % 3]; }
  void c1() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) { auto f = [&](int x) { return x * B::t + a; }; u[i] += f(i); } }
  void d1() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) { auto f = [=](int x) { return x * B::t + k + a; }; auto h = [this](int x) { return x * B::t + k + lo; }; u[i] += f(i) + h(i); } }
  void e1() {
    #pragma omp parallel for num_threads(B::t)
    for (int i = B::k; i < D::n; ++i) u[i] += MINE; }
  void f1() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) for (int j = 0; j < B::t; ++j) u[i] += j * B::get(i) + this->B::get(j) + lo; }
  void g1() {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) u[i] += hi + this->lo + B::t * w[i % 3]; }
  void h1() {
    int s = 0;
    #pragma omp parallel private(t) reduction(+ : s)
    { t = 4;
    #pragma omp for
    for (int i = 0; i < n; ++i) { u[i] += t; s += i; } }
    u[0] += s + t; }
  void i1() {
    #pragma omp parallel firstprivate(t)
    { t += 4;
    #pragma omp for
    for (int i = 0; i < n; ++i) { u[i] += B::t; }
    #pragma omp for
    for (int i = 0; i < n; ++i) { u[i] += get(i); } }
    }
};
int main() {
  D s{}; s.n = 1000; s.a = 65536 * 3 + 7;
  #pragma ompx managed(s.u)
  s.u = new double[s.n]();
  auto sum = [&] { double x = 0; for (int i = 0; i < s.n; ++i) x += s.u[i] * (i % 5), s.u[i] = 0; return x; };
  s.a1(); printf("%g\n", sum()); s.b1(); printf("%g\n", sum()); s.c1(); printf("%.17g\n", sum()); s.d1();printf("%.17g\n", sum()); s.e1();printf("%.17g\n", sum()); s.f1();printf("%.17g\n", sum()); s.g1();
  printf("%.17g\n", sum()); s.h1();   printf("%.17g\n", sum()); s.i1();   printf("%.17g\n", sum());
}
