// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions, and loops, that make members private: methods, lambdas and pointers have those of the object.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <cstdio>
struct S {
  double *u; int n, k;
  int ext() const { return k * 1000; }
  void show(const char *s) { double t = 0; for (int i = 0; i < n; ++i) t += u[i], u[i] = 0; printf("%s %.17g | %d\n", s, t, k); }
  void run() {
    k = 3;
    #pragma omp parallel private(k)
    { k = 9;
      #pragma omp for
      for (int i = 0; i < n; ++i) u[i] += k + ext(); }
    show("1 private");
    #pragma omp parallel firstprivate(k)
    { k += 9;
      #pragma omp for
      for (int i = 0; i < n; ++i) u[i] += k + ext(); }
    show("2 firstprivate");
    #pragma omp parallel for private(k)
    for (int i = 0; i < n; ++i) { k = 9; u[i] += k + ext(); }
    show("3 loop, private");
    #pragma omp parallel for firstprivate(k)
    for (int i = 0; i < n; ++i) { k = 9; u[i] += k + ext(); }
    show("4 loop, firstprivate");
    long s = 0; (void)s;
    #pragma omp parallel for lastprivate(k)
    for (int i = 0; i < n; ++i) { k = 9; u[i] += k; }
    show("5 loop, lastprivate");
    #pragma omp parallel private(k)
    { k = 4;
      #pragma omp for
      for (int i = 0; i < n; ++i) u[i] += ext(); }
    show("6 only the method");
    auto f = [this] { return k; };
    #pragma omp parallel private(k)
    { k = 4;
      #pragma omp for
      for (int i = 0; i < n; ++i) u[i] += f() + k; }
    show("7 lambda");
    S *me = this;
    #pragma omp parallel private(k)
    { k = 4;
      #pragma omp for
      for (int i = 0; i < n; ++i) u[i] += me->k + k; }
    show("8 pointer");
    #pragma omp parallel for private(k)
    for (int i = 0; i < n; ++i) { k = 4; u[i] += me->k + k; }
    show("9 pointer, loop");
  }
};
int main() {
  S s{}; s.n = 1000; s.k = 5;
  #pragma ompx managed(s.u)
  s.u = new double[s.n]();
  s.run();
}
