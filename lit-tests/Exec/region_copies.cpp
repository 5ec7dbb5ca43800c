// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that make variables of static storage private: their loops have the regions' copies, functions the originals.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <omp.h>

#include <cstdio>

static int g = 7;
static double w[3] = {1, 2, 3}, wide[2000], scratch[4];
static double (*rows)[3] = &w;
struct Pair {
  int a;
  double b;
  double list[2];
};
static Pair pair = {1, 2, {3, 4}}, *pairs = &pair;
namespace spaced {
int inside = 3;
static long least;
}  // namespace spaced
extern long later;
static int get() { return g; }
struct Holder {
  static int count;
  static double factors[2];
  static void run(long *a, int n);
};
int Holder::count = 11;
double Holder::factors[2] = {1, 2};

static long *a;
static const int n = 1000;
static long sum() {
  long s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * (i % 3 + 1), a[i] = 0;
  return s;
}

void Holder::run(long *a, int n) {
#pragma omp parallel firstprivate(count, factors)
  {
    count += 2;
    factors[1] += count;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = count * factors[i % 2];
  }
  printf("static members %ld %d\n", sum(), count);
}

template <class T>
T tally(T *u, int n) {
  static T start = 4;
  T total = 0;
#pragma omp parallel firstprivate(start) private(g)
  {
    start += 3;
    g = 5;
#pragma omp for reduction(+ : total)
    for (int i = 0; i < n; ++i) {
      u[i] = start + g;
      total += u[i];
    }
  }
  return total + start;
}

static void scalars() {
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = g;
  }
  printf("private %ld %d\n", sum(), g);
  static int local = 5;
#pragma omp parallel firstprivate(g, local)
  {
    g += 2;
    local += 4;
#pragma omp for
    for (int i = g; i < n - local; ++i)
      for (int j = 0; j < g; ++j) a[i] += g * local + j;
  }
  printf("bounds %ld %d %d\n", sum(), g, local);
  {
    using namespace spaced;
#pragma omp parallel firstprivate(inside, later)
    {
      inside++;
      later *= 2;
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] = inside + later;
    }
  }
  printf("namespace %ld %d %ld\n", sum(), spaced::inside, later);
#pragma omp parallel private(g)
  {
    g = 2;
    for (int t = 0; t < 3; ++t) {
#pragma omp for
      for (int i = 0; i < n; ++i) a[i] += g * t;
      g++;
    }
  }
  printf("steps %ld %d\n", sum(), g);
  using spaced::inside;
#pragma omp parallel firstprivate(g, inside, local)
  {
    g = 2, inside = 5, local = 4;
#pragma omp for
    for (int i = inside; i < n / local; ++i) a[i * g + inside] += i + local;
  }
  printf("indexes %ld %d %d %d\n", sum(), g, inside, local);
}

static void results() {
  double total = 0;
#pragma omp parallel private(scratch)
  {
    scratch[0] = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      a[i] = i;
      scratch[0] += i;
    }
#pragma omp critical
    total += scratch[0];
  }
  printf("sum in an array %g %g\n", total, scratch[0]);
  using spaced::least;
  least = 1;
  double lowest = 100;
#pragma omp parallel private(least)
  {
    least = 50;
#pragma omp for
    for (int i = 0; i < n; ++i)
      if (a[i] - 20 < least) least = a[i] - 20;
#pragma omp critical
    if (least < lowest) lowest = least;
  }
  printf("least %g %ld\n", lowest, least);
#pragma omp parallel reduction(+ : g)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) g += a[i] % 3;
  }
  printf("reduction %d\n", g);
  g = 7;
  double best[64] = {};
  const int threads = omp_get_max_threads();
#pragma omp parallel private(least)
  {
    least = 1000000;
#pragma omp for
    for (int i = 0; i < n; ++i)
      if (a[i] - 30 < least) least = a[i] - 30;
    best[omp_get_thread_num()] = least;
  }
  for (int t = 0; t < threads; ++t)
    if (best[t] < lowest) lowest = best[t];
  printf("slots %g %ld\n", lowest, least);
  sum();
#pragma omp parallel private(scratch, g)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (g = 0; g < 4; ++g) scratch[g] = i + g;
      a[i] = scratch[i % 4];
    }
  }
  printf("each iteration's own %ld %g %d\n", sum(), scratch[1], g);
}

static void arrays() {
#pragma omp parallel firstprivate(w)
  {
    w[1] = 20;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = w[i % 3];
  }
  printf("array %ld %g\n", sum(), w[1]);
#pragma omp parallel private(wide)
  {
    for (int i = 0; i < 2000; ++i) wide[i] = i;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = wide[i] + wide[2 * i];
  }
  printf("large array %ld %g\n", sum(), wide[9]);
  static double others[2][3] = {{5, 6, 7}, {8, 9, 10}};
#pragma omp parallel firstprivate(rows)
  {
    rows = others;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = rows[i % 2][i % 3];
  }
  printf("rows %ld %g\n", sum(), rows[0][1]);
#pragma omp parallel firstprivate(others)
  {
    others[1][1] = 90;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = others[i % 2][i % 3];
  }
  printf("two dimensions %ld %g\n", sum(), others[1][1]);
  static long *from = nullptr;
#pragma omp parallel private(from)
  {
    from = a;
#pragma omp for
    for (int i = 0; i < n; ++i) from[i] = 3 * i;
  }
  printf("pointer %ld %d\n", sum(), from == nullptr);
}

static Pair doubled(Pair p) { return {p.a * 2, p.b * 2, {p.list[0] * 2, p.list[1] * 2}}; }

static void objects() {
#pragma omp parallel firstprivate(pair)
  {
    pair.a += 5;
    pair.list[1] = 40;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = pair.a + pair.b + pair.list[i % 2];
  }
  printf("struct %ld %d\n", sum(), pair.a);
#pragma omp parallel firstprivate(pair)
  {
    pair.a += 6;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = doubled(pair).a;
  }
  printf("whole struct %ld %d\n", sum(), pair.a);
  Pair other = {100, 200, {300, 400}};
#pragma omp parallel firstprivate(pairs)
  {
    pairs = &other;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = pairs->a + pairs->list[i % 2];
  }
  printf("pointer to a struct %ld %d\n", sum(), pairs->a);
}

static void functions() {
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = g * 100 + get();
  }
  printf("with a function %ld\n", sum());
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = get();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += 1;
  }
  printf("only in a function %ld\n", sum());
  int k = 0;
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp single
    k = get();
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = g + k;
  }
  printf("outside of the loop %ld\n", sum());
  int *at = &g;
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = g * 10 + *at;
  }
  printf("through a pointer %ld\n", sum());
#pragma omp parallel private(g)
  {
    g = 2;
#pragma omp for
    for (int i = 0; i < n; ++i) {
      auto plus = [&](int x) { return x + g; };
      a[i] = plus(i);
    }
  }
  printf("lambda %ld\n", sum());
#pragma omp parallel private(g)
  {
    ::g = 4;
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] = ::g;
  }
  printf("qualified %ld\n", sum());
}

int main() {
#pragma ompx managed(a)
  a = new long[n]();
  scalars();
  results();
  arrays();
  objects();
  functions();
  Holder::run(a, n);
  printf("template %ld", tally<long>(a, n));
  printf(" %ld\n", sum());
}

long later = 13;
