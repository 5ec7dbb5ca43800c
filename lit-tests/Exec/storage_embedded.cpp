// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays inside of objects and std::array: of static storage, local, on the heap, in class templates; reached by name,
// through pointers, methods, macros and functions that know nothing of the object; objects too large for a stack.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_WEIGHTS=2,3 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-DAG: storage_embedded.cpp:{{[0-9]+}}: this loop runs with copies of arrays inside of objects (g->v, g->u), compared and written back at every launch; arrays of their own are cheaper
// CHECK-DAG: storage_embedded.cpp:{{[0-9]+}}: this loop runs with copies of arrays inside of objects (to, from), compared
// CHECK-DAG: g ({{.*}}storage_embedded.cpp
// CHECK-DAG: l ({{.*}}storage_embedded.cpp
#include <array>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
constexpr int N = 1003;
#pragma ompx managed(g)
static std::array<double, N> g;
struct Grid {
  int n;
#pragma ompx managed(u)
  double u[40][30];
  double scale;
#pragma ompx managed(b)
  std::array<float, 77> b;
  void step() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < 30; ++j) u[i][j] = u[i][j] * scale + i + j;
  }
  void stepThis() {
#pragma omp parallel for
    for (int i = 0; i < this->n; ++i) this->u[i][3] += this->scale;
  }
};
static Grid global;
static void outside(Grid &grid, Grid *pointer) {
#pragma omp parallel for
  for (int i = 0; i < 77; ++i) grid.b[i] = pointer->b[i] + grid.scale;
}
static void simple() {
#pragma ompx managed(l)
  std::array<int, 500> l = {1, 2, 3};
#pragma omp parallel for
  for (int i = 0; i < N; ++i) g[i] = i * 0.5;
#pragma omp parallel for
  for (int i = 0; i < 500; ++i) l[i] += i;
  Grid *heap = new Grid();
  heap->n = 40; heap->scale = 1.5;
  global.n = 37; global.scale = 0.5;
  for (int t = 0; t < 3; ++t) { heap->step(); global.step(); heap->stepThis(); outside(*heap, &global); outside(global, heap); outside(global, &global); }
  double a = 0, b = 0, c = 0; long d = 0;
  for (double v : g) a += v;
  for (int v : l) d += v;
  for (auto &r : heap->u) for (double v : r) b += v;
  for (auto &r : global.u) for (double v : r) c += v;
  double e = 0;
  for (float v : heap->b) e += v;
  for (float v : global.b) e += v * 2;
  std::printf("%g %g %g %ld %g\n", a, b, c, d, e);
  delete heap;
}

#define U(i, j) grid->u[i][j]
struct Cell { double p, q; int k[3]; };
struct Large {
  int n, m;
#pragma ompx managed(u)
  double u[300][400];
#pragma ompx managed(v)
  double v[300][400];
#pragma ompx managed(hist)
  int hist[64];
#pragma ompx managed(cells)
  Cell cells[123];
#pragma ompx managed(nested)
  std::array<std::array<double, 5>, 101> nested;
  std::array<int, 40> weights;
  int at(int i) const { return i % n; }
};
static Large big;
template <int N> struct Matrix {
#pragma ompx managed(data)
  double data[N * N];
  double &operator()(int i, int j) { return data[i * N + j]; }
  double operator()(int i, int j) const { return data[i * N + j]; }
};
struct Holder { Matrix<33> *matrix; std::unique_ptr<Matrix<33>> own; };
static void macros(Large *grid) {
#pragma omp parallel for
  for (int i = 1; i < 299; ++i)
    for (int j = 0; j < 400; ++j) { U(i, j) = i * 3 + j; }
}
static void stencil(Large *g) {
#pragma omp parallel for
  for (int i = 1; i < g->n - 1; ++i)
    for (int j = 1; j < g->m - 1; ++j) g->v[i][j] = 0.25 * (g->u[i - 1][j] + g->u[i + 1][j] + g->u[i][j - 1] + g->u[i][j + 1]);
}
static void copyBack(Large &g) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < g.n; ++i)
    for (int j = 0; j < g.m; ++j) g.u[i][j] = g.v[i][j] + g.at(i + j);
}
static void gather(Large &g, const int *index, double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = g.u[index[i]][i] + g.weights[i % 40];
}
static void histogram(Large &g, const int *index, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    g.hist[index[i] % 64]++;
  }
}
static void scale(double *a, int n, double by) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = a[i] * by + i;
}
static void shift(const double *from, double *to, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) to[i] = from[i] + 1;
}
static void objects(Large &g) {
#pragma omp parallel for
  for (int i = 0; i < 123; ++i) {
    g.cells[i].p += i;
    g.cells[i].k[i % 3] = i + g.n;
  }
#pragma omp parallel for
  for (int i = 0; i < 101; ++i)
    for (int j = 0; j < 5; ++j) g.nested[i][j] = i * j + g.m;
}
template <class T, std::size_t N> static T fill(std::array<T, N> &a, T first) {
  T total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < (int)a.size(); ++i) {
    a[i] = first + T(i);
    total += a[i];
  }
  return total;
}
static void methods(Holder &h, Matrix<33> &m) {
#pragma omp parallel for
  for (int i = 0; i < 33; ++i)
    for (int j = 0; j < 33; ++j) m(i, j) = i - j;
#pragma omp parallel for
  for (int i = 0; i < 33; ++i)
    for (int j = 0; j < 33; ++j) (*h.matrix)(i, j) += m(j, i) * 2;
#pragma omp parallel for
  for (int i = 0; i < 33; ++i)
    for (int j = 0; j < 33; ++j) (*h.own)(i, j) = (*h.matrix)(i, j) + m(i, j);
}
template <class A> static double sum(const A *a, std::size_t bytes) {
  double total = 0;
  for (std::size_t i = 0; i < bytes / sizeof(A); ++i) total += a[i] * (1 + i % 7);
  return total;
}
int main() {
  simple();
  const int n = 400;
#pragma ompx managed(out)
  double *out = (double *)calloc(n, sizeof(double));
#pragma ompx managed(index)
  int *index = (int *)calloc(n, sizeof(int));
  for (int i = 0; i < n; ++i) index[i] = (i * 7) % 300;
  std::unique_ptr<Large> heap(new Large());
  Large *all[] = {&big, heap.get()};
  for (Large *g : all) {
    g->n = 300; g->m = 400;
    for (int i = 0; i < 40; ++i) g->weights[i] = i * i;
    macros(g);
    for (int t = 0; t < 2; ++t) { stencil(g); copyBack(*g); }
    g->u[7][9] = 100;
    gather(*g, index, out, n);
    histogram(*g, index, n);
    scale(&g->u[0][0], 300 * 400, 0.5);
    shift(&g->u[0][0], &g->v[0][0], 120000);
    shift(&g->u[0][0] + 1, &g->u[0][0] + 60000, 50000);
    objects(*g);
    double cells = 0;
    for (auto &c : g->cells) cells += c.p + c.q + c.k[0] * 2 + c.k[1] + c.k[2];
    std::printf("%g %g %g %g %g %g\n", sum(&g->u[0][0], sizeof g->u), sum(&g->v[0][0], sizeof g->v), sum(g->hist, sizeof g->hist), cells, sum(&g->nested[0][0], sizeof g->nested), sum(out, n * 8));
  }
#pragma ompx managed(a)
  static std::array<double, 1013> a{};
#pragma ompx managed(b)
  std::array<int, 77> b{};
  std::array<float, 50> c{};
  std::printf("%g %d %g\n", fill(a, 0.5), fill(b, 3), fill(c, 1.0f));
  Matrix<33> m, *p = new Matrix<33>();
  Holder h{p, std::make_unique<Matrix<33>>()};
  methods(h, m);
  std::printf("%g %g %g %g %d\n", sum(m.data, sizeof m.data), sum(p->data, sizeof m.data), sum(h.own->data, sizeof m.data), a[12] + a.back(), b[9]);
  std::sort(b.begin(), b.end(), [](int x, int y) { return x > y; });
  b[70] = -4;
#pragma omp parallel for
  for (int i = 0; i < 77; ++i) b[i] = b[i] * 2 + 1;
  int last = 0; for (int v : b) last += v; std::printf("%d\n", last);
  free(out); free(index); delete p;
}
