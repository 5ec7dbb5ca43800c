// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that are there as long as the program, and members, of which a region gives each thread a copy: loops use the
// copies where their text names them, and functions what is no copy.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
#include <cstdio>
static int g = 7; static double w[3] = {1, 2, 3};
static void statics() {
  const int n = 1000;
  #pragma ompx managed(a)
  long *a = new long[n]();
  auto sum = [&] { long s = 0; for (int i = 0; i < n; ++i) s += a[i], a[i] = 0; return s; };
  #pragma omp parallel private(g)
  { g = 2;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = g; }
  printf("private %ld\n", sum());
  #pragma omp parallel firstprivate(g)
  { g += 2;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = g; }
  printf("firstprivate %ld\n", sum());
  #pragma omp parallel firstprivate(w)
  { w[1] = 20;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = w[i % 3]; }
  printf("array %ld\n", sum());
  static int sl = 5;
  #pragma omp parallel firstprivate(sl)
  { sl += 4;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = sl; }
  printf("static local %ld\n", sum());
  int l = 5;
  #pragma omp parallel firstprivate(l)
  { l += 4;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = l; }
  printf("local %ld\n", sum());
  printf("%d %g %d\n", g, w[1], sl);
}

static int h = 7;
static int get() { return h; }
static void functions() {
  const int n = 1000;
  #pragma ompx managed(a)
  long *a = new long[n]();
  auto sum = [&] { long s = 0; for (int i = 0; i < n; ++i) s += a[i], a[i] = 0; return s; };
  #pragma omp parallel private(h)
  { h = 2;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = h * 100 + get(); }
  printf("private %ld\n", sum());
  #pragma omp parallel firstprivate(h)
  { h += 2;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = h * 100 + get(); }
  printf("firstprivate %ld\n", sum());
  int x = 5; auto f = [&] { return x; }; int *p = &x; int &r = x;
  #pragma omp parallel private(x)
  { x = 3;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = x * 100 + f(); }
  printf("lambda %ld\n", sum());
  #pragma omp parallel private(x)
  { x = 3;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = x * 100 + *p; }
  printf("pointer %ld\n", sum());
  #pragma omp parallel firstprivate(x)
  { x += 3;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = x * 100 + r; }
  printf("reference %ld\n", sum());
  #pragma omp parallel private(h)
  { h = 2;
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = get(); }
  printf("only in the function %ld\n", sum());
  int k = 0;
  #pragma omp parallel private(h)
  { h = 2;
    #pragma omp single
    k = get();
    #pragma omp for
    for (int i = 0; i < n; ++i) a[i] = h + k; }
  printf("outside of the loop %ld\n", sum());
}

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
static void members() {
  S s{}; s.n = 1000; s.k = 5;
  #pragma ompx managed(s.u)
  s.u = new double[s.n]();
  s.run();
}

int main() {
  statics();
  functions();
  members();
}
