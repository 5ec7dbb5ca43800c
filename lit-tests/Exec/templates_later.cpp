// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that templates are instantiated with may be declared behind the template, where its text cannot name them.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
#include <cstdlib>
template <class T>
struct Store {
  T *start_; size_t n_;
  explicit Store(size_t n) : n_(n) {
#pragma ompx managed(start_)
    start_ = new T[n];
  }
  void grow(size_t n) {
#pragma ompx managed(bigger)
    T *bigger = new T[n];
// CHECK-DAG: [[# @LINE + 2]]:1: remark: loop is outlined as {{.*}} in 'void Store<Edge>::grow(size_t) [T = Edge]' for all devices
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} in 'void Store<Pair<int, long>>::grow{{.*}} for all devices
#pragma omp parallel for
    for (size_t i = 0; i < n_; i++) bigger[i] = start_[i];
    delete[] start_;
    start_ = bigger;
    n_ = n;
  }
  void twice() {
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} in 'void Store<Edge>::twice() [T = Edge]' for all devices
#pragma omp parallel for
    for (size_t i = 0; i < n_; i++) this->start_[i].scale(2);
  }
  ~Store() { delete[] start_; }
};
struct Edge { int u; double w; void scale(double by) { w *= by; } };
template <class A, class B>
struct Pair { A a; B b; Pair() {} Pair(A a, B b) : a(a), b(b) {} void scale(int by) { a *= by, b *= by; } };
int main() {
  Store<Edge> edges(1003);
  Store<Pair<int, long>> pairs(777);
  for (int i = 0; i < 1003; i++) edges.start_[i] = {i, i * 0.5};
  for (int i = 0; i < 777; i++) pairs.start_[i] = {i, i * 3L};
  edges.grow(2000); pairs.grow(900);
  edges.n_ = 1003; pairs.n_ = 777;
  edges.twice(); pairs.twice();
  double s = 0; long t = 0;
  for (int i = 0; i < 1003; i++) s += edges.start_[i].w * (i % 7);
  for (int i = 0; i < 777; i++) t += pairs.start_[i].b * (i % 5) + pairs.start_[i].a;
  printf("%.3f %ld\n", s, t);
}
