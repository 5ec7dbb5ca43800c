// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that each thread has of its own: an iteration that sets them first may be any thread's.
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=all %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

template <class A, class B>
struct Pair {
  A a;
  B b;
  Pair() {}
  Pair(A a, B b) : a(a), b(b) {}
};
template <class T>
struct Store {
  T *start_;
  explicit Store(size_t n) {
#pragma ompx managed(start_)
    start_ = new T[n];
  }
  T &operator[](size_t i) { return start_[i]; }
};
// As the GAP suite makes its graphs: a member decides how long a local object is.
template <class N>
struct Generator {
  static const long block = 10;
  static const int seed = 17;
  long edges_;
  int scale_;
  typedef Pair<N, N> Edge;
  Store<Edge> make() {
    const unsigned max = 1000, low = 0.57 * max;
    Store<Edge> el(edges_);
#pragma omp parallel
    {
      std::mt19937 rng;
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} for all devices
#pragma omp for
      for (long b = 0; b < edges_; b += block) {
        rng.seed(seed + b / block);
        for (long e = b; e < std::min(b + block, edges_); e++) {
          N s = 0, d = 0;
          for (int k = 0; k < scale_; k++) {
            const unsigned r = rng() % 1000;
            s = s << 1;
            if (r < low) s++;
            d += r;
          }
          el[e] = Edge(s, d);
        }
      }
    }
    return el;
  }
};

struct Point {
  int x, y;
};
struct Segment {
  Point ends[2];
  double scale;
};
struct Reader {
  const int &of;
  explicit Reader(const int &of) : of(of) {}
  int get() const { return of; }
};
struct Writer {
  int *to;
};
static Writer writerOf(int &to) { return {&to}; }
template <class R>
struct Hundred {
  R &rng;
  explicit Hundred(R &rng) : rng(rng) {}
  int operator()() { return rng() % 100; }
};

int main() {
  const int n = 1003;
  Generator<int> generator;
  generator.edges_ = n;
  generator.scale_ = 5;
  auto el = generator.make();
  double sum = 0;
  for (int i = 0; i < n; i++) sum += el[i].a * i + el[i].b;
  printf("%.1f\n", sum);

#pragma ompx managed(a, b, c, d)
  std::vector<double> a(n), b(n), c(n), d(n);
#pragma omp parallel
  {
    Point p;
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} for all devices
#pragma omp for
    for (int i = 0; i < n; i++) {
      p = Point{i, 2};
      a[i] = p.x * p.y;
    }
  }
  Point p;
  Segment s;
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} for all devices
#pragma omp parallel for private(p, s)
  for (int i = 0; i < n; i++) {
    p.x = i;
    p.y = 3;
    s.ends[1] = p;
    s.scale = 0.5;
    b[i] = s.ends[1].x * s.scale + p.y;
  }
  struct {
    int first, second;
  } unnamed;
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop is outlined as {{.*}} for all devices
#pragma omp parallel for private(unnamed)
  for (int i = 0; i < n; i++) {
    unnamed.first = i;
    unnamed.second = 1;
    b[i] += unnamed.first - unnamed.second;
  }
// Something else knows the thread's own variable.
// CHECK-DAG: [[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'x', of which each thread has its own
#pragma omp parallel
  {
    int x = 0;
    const Reader reader(x);
#pragma omp for
    for (int i = 0; i < n; i++) {
      x = i;
      c[i] = reader.get();
    }
  }
// CHECK-DAG: [[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'x', of which each thread has its own
#pragma omp parallel
  {
    int x = 0;
    const Writer writer = writerOf(x);
#pragma omp for
    for (int i = 0; i < n; i++) {
      x = i;
      d[i] = *writer.to;
    }
  }
// The iteration makes an object anew that only refers to it.
#pragma omp parallel
  {
    std::mt19937 rng;
    Hundred<std::mt19937> next(rng);
// CHECK-DAG: [[# @LINE + 1]]:1: remark: loop {{.*}} runs on CPUs only: makes 'next' for each iteration, which is made in front of the loop
#pragma omp for
    for (int i = 0; i < n; i += 17) {
      rng.seed(i);
      for (int j = i; j < std::min(i + 17, n); j++) d[j] += next();
    }
  }
  // One is not set in each iteration.
// CHECK-DAG: [[# @LINE + 1]]:1: remark: region stays plain OpenMP on rank 0: gives 'rng', of which each thread has its own
#pragma omp parallel num_threads(1)
  {
    std::mt19937 rng;
#pragma omp for
    for (int i = 0; i < n; i++) {
      if (i % 5 == 0) rng.seed(i);
      d[i] += rng() % 10;
    }
  }
  sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * i + b[i] * (i % 7) + c[i] + d[i] * (i % 3);
  printf("%.1f\n", sum);
}
