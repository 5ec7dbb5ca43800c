// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread of a region adds up although it has had no iteration: such regions keep their teams.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected && FileCheck --check-prefix=SUMS %s < %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=3 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// SUMS: 3003 3003 3030 9 9 45
// SUMS-NEXT: 3 3 3 3 12
// SUMS-NEXT: 3 3 6 3 9 3 6 3 3 9 15 xxx
#include <omp.h>

#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

struct C {
  long a;
  int n;
};
static int g = 0, h = 0;
static void enter() {
#pragma omp atomic
  g++;
}
static void f(int& to, int d) {
#pragma omp critical
  to += d;
}
struct T {
  T(int& c) {
#pragma omp atomic
    c++;
  }
};
#define REGION(...) \
  _Pragma("omp parallel") { __VA_ARGS__ _Pragma("omp for") for (int i = 0; i < n; ++i) p[i] += 1; }

static void startValues() {
  const int n = 1000;
#pragma ompx managed(p)
  double* p = new double[n];
  for (int i = 0; i < n; ++i) p[i] = 3;
  double t1 = 0, t2 = 0, t4 = 0, s = 10;
#pragma omp parallel
  {
    double s = 1;
#pragma omp for
    for (int i = 0; i < n; ++i) s += p[i];
#pragma omp critical
    t1 += s;
  }
  printf("%g ", t1);
#pragma omp parallel
  {
    C m = {1, 3};
#pragma omp for
    for (int i = 0; i < n; ++i) m.a += (long)p[i];
#pragma omp critical
    {
      t2 += m.a;
      t4 += m.n;
    }
  }
  printf("%g ", t2);
  double t3 = 0;
#pragma omp parallel firstprivate(s)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) s += p[i];
#pragma omp critical
    t3 += s;
  }
  printf("%g %g ", t3, t4);
  double t5 = 0, t6 = 0;
#pragma omp parallel reduction(+ : t5)
  {
    double q = 3;
#pragma omp for
    for (int i = 0; i < n; ++i) q += p[i] - 3;
    t5 += q;
  }
  printf("%g ", t5);
#pragma omp parallel
  {
    double a = 0, b = 4;
    for (int it = 0; it < 3; ++it) {
      a = 0;
#pragma omp for
      for (int i = 0; i < n; ++i) a += p[i] - 3;
#pragma omp critical
      t6 += a + b;
#pragma omp barrier
      b += 1;
    }
  }
  printf("%g\n", t6);
  delete[] p;
}

static void counted() {
  const int n = 1000;
#pragma ompx managed(p)
  double* p = new double[n]();
  int c1 = 0, c2 = 0, c3 = 0, c4 = 0;
#pragma omp parallel reduction(+ : c1)
  {
    c1 += 1;
#pragma omp for
    for (int i = 0; i < n; ++i) p[i] += 1;
  }
#pragma omp parallel
  {
    enter();
#pragma omp for
    for (int i = 0; i < n; ++i) p[i] += 1;
  }
#pragma omp parallel
  {
    int mine = 1;
#pragma omp for
    for (int i = 0; i < n; ++i) p[i] += 1;
#pragma omp critical
    c3 += mine;
  }
#pragma omp parallel
  {
    int mine = 0;
    mine++;
#pragma omp for
    for (int i = 0; i < n; ++i) p[i] += 1;
#pragma omp atomic
    c2 += mine;
  }
#pragma omp parallel
  {
    int mine = 0;
#pragma omp single copyprivate(mine)
    mine = 4;
#pragma omp for
    for (int i = 0; i < n; ++i) p[i] += mine;
#pragma omp critical
    c4 += mine;
  }
  printf("%d %d %d %d %d\n", c1, g, c3, c2, c4);
  delete[] p;
}

static void effects() {
  const int n = 1000;
#pragma ompx managed(p)
  double* p = new double[n]();
  std::vector<int> v;
  std::mutex mu;
  omp_lock_t lk;
  omp_init_lock(&lk);
  std::string s;
  int c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0;
  double t = 0;
  REGION(_Pragma("omp critical") v.push_back(1);)
  REGION({
    std::lock_guard<std::mutex> k(mu);
    c1++;
  })
  REGION(omp_set_lock(&lk); c2 += 2; omp_unset_lock(&lk);)
  REGION(int k; _Pragma("omp critical") {
    k = c3;
    c3 = k + 1;
  })
  REGION(_Pragma("omp critical") { c4 = c4 ? c4 * 3 : 1; })
  REGION(f(c8, 1);)
  REGION(f(h, 2);)
  REGION(T tt(c5);)
  REGION(int& q = c6; _Pragma("omp atomic") q++;)
  REGION(for (int j = 0; j < 3; ++j) { _Pragma("omp critical") c7 += j; })
  REGION(double w = 5; _Pragma("omp critical") t += w;)
  REGION(_Pragma("omp critical") s += 'x';)
  printf("%zu %d %d %d %d %d %d %d %d %d %g %s\n", v.size(), c1, c2, c3, c4, c8, h, c5, c6, c7, t, s.c_str());
  delete[] p;
}

int main() {
  startValues();
  counted();
  effects();
}
