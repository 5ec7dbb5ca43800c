// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates, lambdas, members and macros around loops: what steps back must still be right. The plain program is the
// oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include "Inputs/wild_report.h"
#define N 400
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define IDX(i, j) ((i) * 20 + (j))
#define PAR _Pragma("omp parallel for")
template <class T>
T sq(T x) {
  return x * x;
}
template <class T>
void scale(T* a, int n, T s) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] *= s;
}
template <int R>
void fixed(double* a, int n) {
#pragma omp parallel for
  for (int i = R; i < n - R; i++) a[i] += R;
}
struct Grid {
  double* d;
  int n;
  double k = 2;
  double at(int i) const { return d[i] * k; }
  void run(double* o) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) o[i] = at(i);
  }
  void run2(double* o) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) o[i] += this->d[i] + k;
  }
  static void go(double* o, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) o[i] += 1;
  }
};
class Sim {
  std::vector<double> u, v;

 public:
  explicit Sim(int n) : u(n, 1.0), v(n) {}
  void step() {
#pragma omp parallel for
    for (int i = 1; i < (int)u.size() - 1; i++) v[i] = u[i - 1] + u[i + 1];
    u.swap(v);
  }
  const std::vector<double>& get() const { return u; }
};
int main() {
#pragma ompx managed(a)
  double* a = new double[N];
#pragma ompx managed(b)
  double* b = new double[N];
#pragma ompx managed(f)
  float* f = new float[N];
  fill(a, N);
  fill(b, N);
  fill(f, N);
  scale(a, N, 3.0);
  scale(f, N, 2.f);
  fixed<2>(a, N);
  fixed<5>(b, N);
  report("a", a, N);
  report("f", f, N);
  report("b", b, N);
#pragma omp parallel for
  FOR(i, N) a[i] += 1;
  PAR for (int i = 0; i < N; i++) b[i] = sq(a[i]);
#pragma omp parallel for
  for (int i = 0; i < 20; i++) FOR(j, 20) b[IDX(i, j)] += a[IDX(j, i)];
  report("b", b, N);
  auto lam = [](double x) { return x * 0.5; };
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = lam(b[i]);
  report("a", a, N);
  double c = 4;
  auto cap = [&](int i) { return b[i] + c; };
#pragma omp parallel for
  for (int i = 0; i < N; i++) a[i] = cap(i);
  report("a", a, N);
  auto inl = [&](int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] += c;
  };
  inl(N);
  inl(N / 2);
  report("a", a, N);
  Grid g{a, N};
  g.run(b);
  report("g", b, N);
  g.run2(b);
  Grid::go(b, N);
  report("g", b, N);
  Sim s(100);
  for (int t = 0; t < 5; t++) s.step();
  report("sim", s.get().data(), s.get().size());
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    auto l2 = [&](double q) { return q + c; };
    a[i] = l2(a[i]);
  }
  report("a", a, N);
  delete[] a;
  delete[] b;
  delete[] f;
}
