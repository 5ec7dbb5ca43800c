// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements, scratch arrays, the standard library on local data, enumerations, pairs. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --allow-empty --implicit-check-not='native only' --implicit-check-not='step back' --implicit-check-not=remark: %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// All loops have device code, and none stays plain OpenMP.
// CHECK: kernel
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>
enum class Kind : unsigned char { wall, fluid, inlet = 7 };
enum Plain { red, green = 5 };
struct Cell { double f[9]; Kind kind; bool on; };
static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constexpr double wt[9] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
constexpr double third() { return 1.0 / 3; }
struct Pt { double x, y; };
struct V { double a = 1, b = 2; V() = default; V(double a, double b) : a(a), b(b) {} double dot(const V& o) const { return a * o.a + b * o.b; } };
template <int N> struct Small { double m[N]; double& operator[](int i) { return m[i]; } double operator[](int i) const { return m[i]; } constexpr int size() const { return N; } };
int main() {
  const int n = 513;
#pragma ompx managed(c)
  Cell* c = new Cell[n];
#pragma ompx managed(u)
  double* u = new double[n];
#pragma ompx managed(k)
  int* k = new int[n];
#pragma ompx managed(q)
  std::uint64_t* q = new std::uint64_t[n];
#pragma ompx managed(pr)
  std::pair<int, double>* pr = new std::pair<int, double>[n];
#pragma ompx managed(e)
  Kind* e = new Kind[n];
#pragma ompx managed(g)
  float* g = new float[n];
  for (int i = 0; i < n; i++) {
    for (int d = 0; d < 9; d++) c[i].f[d] = wt[d] * (1 + 0.01 * i);
    c[i].kind = i % 5 == 0 ? Kind::wall : Kind::fluid, c[i].on = i % 3;
    u[i] = i * 0.37 - 50, k[i] = i * 7 % 31, q[i] = i * 0x9E3779B97F4A7C15ull, pr[i] = {i, i * 0.5}, e[i] = Kind::fluid;
    g[i] = i * 0.1f;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {  // 1 switch, while, do
    int x = k[i], s = 0;
    switch (x % 4) {
      case 0: s = 1; break;
      case 1: s = 2; [[fallthrough]];
      case 2: s += 10; break;
      default: s = -1;
    }
    while (x > 3) { x /= 2; if (x == 5) break; if (x % 3 == 0) continue; s++; }
    do { s += 3; } while (s < 20 && s != 13);
    k[i] = s, u[i] += s ? s : -1;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {  // 2 scratch arrays
    double tmp[9];
    std::array<double, 4> st = {1, 2, 3, 4};
    std::array<int, 3> z{};
    for (int d = 0; d < 9; d++) tmp[d] = c[i].f[d] * cx[d] + wt[d];
    for (double v : tmp) u[i] += v;
    for (auto& v : st) v *= u[i];
    for (std::size_t j = 0; j < st.size(); j++) u[i] += st[j];
    z[i % 3]++;
    std::swap(tmp[0], tmp[8]);
    std::fill(tmp, tmp + 4, 0.25);
    u[i] += tmp[3] + z[0] + st.back() + st.front();
    u[i] += tmp[5];
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {  // 3 bindings
    auto [a, b] = pr[i];
    Pt pt{u[i], 2};
    auto& [px, py] = pt;
    px += a; py -= b;
    pr[i].first += 2; pr[i].second = pt.x + pt.y;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {  // 4 algorithm, bits
    u[i] = std::max({u[i], 2.0, third()}) + std::clamp(u[i], -1.0, 1.0) + std::min(i, 7);
    k[i] = std::popcount(q[i]) + std::countl_zero(q[i]) + std::countr_zero(q[i] | 1) + (int)std::rotl(q[i], 5) + (int)std::bit_width(q[i]) + std::has_single_bit(q[i]);
    q[i] = std::bit_cast<std::uint64_t>(u[i]) ^ (q[i] >> 3);
    std::uint32_t w = std::bit_cast<std::uint32_t>(g[i]);
    g[i] = std::sqrt(g[i]) + (float)(w & 3) + std::fabs(g[i] - 3) + std::fmod(g[i], 3.0f);
    if (u[i] > std::numeric_limits<double>::max() || u[i] < std::numeric_limits<float>::epsilon()) u[i] = std::numeric_limits<int>::max();
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {  // 5 objects, enums
    V a(u[i], 2), b;
    Small<3> s{};
    for (int j = 0; j < s.size(); j++) s[j] = j * u[i];
    u[i] = a.dot(b) + s[2] + sizeof(s) + sizeof(Cell);
    if (e[i] == Kind::fluid && i % 3) e[i] = Kind::inlet; else if (c[i].kind == Kind::wall) e[i] = static_cast<Kind>(i % 3);
    if constexpr (sizeof(int) == 4) u[i] += static_cast<int>(e[i]);
    c[i].on = !c[i].on && u[i] > 3;
    Plain p = i % 2 ? red : green; u[i] += p;
  }
  double s = 0, t = 0;
  long ks = 0; std::uint64_t qs = 0;
  for (int i = 0; i < n; i++) { s += u[i] + pr[i].first + pr[i].second + g[i]; ks += k[i] + (int)e[i] + c[i].on; qs ^= q[i]; for (double v : c[i].f) t += v; }
  printf("%.14g %.14g %ld %llx\n", s, t, ks, (unsigned long long)qs);
}
