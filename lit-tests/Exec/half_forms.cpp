// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half precision in the forms that programs have: templates, operators of the user's own, lambdas, algorithms on local
// arrays, unions, bindings, std::complex<_Float16>. The plain program is the oracle, bit for bit.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --implicit-check-not=remark: %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe \
// RUN:   -n 3 %t.muster | diff %t.expected -
// All loops have device code. One stays plain OpenMP, in all instances of its template.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

typedef _Float16 H;

static void show(const char *what, const H *a, int n) {
  unsigned long sum = 0;
  for (int i = 0; i < n; i++) {
    unsigned short bits;
    memcpy(&bits, &a[i], 2);
    sum = sum * 31 + ((bits & 0x7fff) > 0x7c00 ? 1 : bits);
  }
  printf("%s %lx %g %g\n", what, sum, (double)a[1], (double)a[n - 1]);
}

template <class T>
void axpy(int n, T factor, const std::vector<T> &x, T *y) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    T here = y[i];
    here += factor * x[i];
    y[i] = here > T(100) ? T() : here;
  }
}

template <class T>
T total(int n, const T *a) {
  T sum = 0;
// CHECK: half_forms.cpp:[[#@LINE+1]]:1: remark: {{.*}}'reduction' of 'sum', which has half precision
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] > 0 ? T(1) : T(0);
  return sum;
}

struct Pair16 {
  H x, y;
  Pair16 operator+(const Pair16 &o) const { return {x + o.x, y + o.y}; }
  Pair16 &operator*=(H s) {
    x *= s, y *= s;
    return *this;
  }
  H dot(Pair16 o) const { return x * o.x + y * o.y; }
  static constexpr H unit = (H)0.7;
};
Pair16 operator*(H s, Pair16 p) { return p *= s; }

class Model {
 public:
  explicit Model(int n) : n_(n), u_(new H[n]) {
    for (int i = 0; i < n; i++) u_[i] = (H)(i * 0.03f);
  }
  void step() {
#pragma omp parallel for simd
    for (int i = 0; i < n_; i++) u_[i] = u_[i] * decay_ + Pair16::unit;
  }
  int n_;
  H decay_ = (H)0.97;
#pragma ompx managed(u_)
  H *u_;
};

int main() {
  const int n = 2003;
#pragma ompx managed(a)
  H *a = new H[n];
#pragma ompx managed(v)
  std::vector<H> v(n);
#pragma ompx managed(p)
  Pair16 *p = new Pair16[n];
#pragma ompx managed(f)
  std::vector<float> f(n);
#pragma ompx managed(g)
  float *g = new float[n];
  for (int i = 0; i < n; i++) {
    a[i] = (H)((i * 37 % 2001 - 1000) * 0.13f), v[i] = (H)(i % 400 * 0.7f - 99);
    p[i] = {a[i], v[i]}, f[i] = i * 0.1f, g[i] = -f[i];
  }

  axpy<H>(n, (H)1.1, v, a);
  axpy(n, 1.1f, f, g);
  show("axpy", a, n);
  printf("%g %d %g\n", g[n - 1], (int)total(n, a), total(n, g));

#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Pair16 q = p[i] + (H)0.3 * Pair16{v[i], (H)i};
    q *= Pair16::unit;
    auto [x, y] = q;
    const auto mixed = [&q, first = x, second = y](H s) { return q.dot({s, first}) - second; };
    union {
      H h;
      unsigned short bits;
    } pun;
    pun.h = mixed((H)2);
    pun.bits ^= 1;
    (i % 2 ? q.x : q.y) = pun.h;
    (i % 3 ? q.x : q.y) -= i % 4 ? x : 1;
    p[i] = q;
    if (x && !(i % 5)) a[i] = -x;
    a[i] *= y == 0 ? (H)2 : i % 7;
  }
  for (int i = 0; i < n; i++) v[i] = p[i].x + p[i].y;
  show("a", a, n), show("v", v.data(), n);

#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    H local[6] = {}, sum{};
    int k = 0;
    for (H &x : local) x = a[i] + v[(i + 17) % n] * H(k), k++;
    for (H x : local) sum += x;
    sum += std::accumulate(local, local + 6, H(0.5));
    sum -= std::inner_product(local, local + 3, local + 3, (H)1);
    std::fill(local, local + 2, sum);
    std::pair<H, int> best(*std::max_element(local, local + 6), i);
    const std::complex<H> z = std::complex<H>(local[1], local[4]) * std::complex<H>((H)0.5, best.first);
    g[i] = z.real() + z.imag();
    p[i] = {z.imag(), *std::min_element(local, local + 6)};
  }
  for (int i = 0; i < n; i++) v[i] = (H)g[i], a[i] = p[i].x * p[i].y;
  show("v", v.data(), n), show("a", a, n);

  // Elements that are read and written at once.
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    H x;
#pragma omp atomic read
    x = a[i];
#pragma omp atomic write
    v[n - 1 - i] = x + (H)1;
#pragma omp atomic
    f[i % 3] += a[i] > 0 ? (H)0.5 : (H)0.25;
  }
  show("atomic", v.data(), n);
  printf("%g %g %g\n", f[0], f[1], f[2]);

  Model model(n);
  for (int t = 0; t < 3; t++) model.step();
  show("model", model.u_, n);
}
