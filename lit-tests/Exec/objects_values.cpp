// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs, functors, std::array and std::pair of the host that a loop uses as a whole, or whose methods it calls: they
// travel with the launch by value. Pointers to arrays of structs. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2> %t.remarks && %run %t.muster > %t.actual
// RUN: FileCheck --allow-empty --implicit-check-not=remark: %s < %t.remarks
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
//
// One layout on host and device, checked when either is compiled.
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck --check-prefix=TEXT %s
// TEXT: const Params &p = *static_cast<const Params *>(const_cast<void *>(muster_c->scalars[0]));
// TEXT: typedef char Params_has_56_bytes[sizeof(Params) == 56 ? 1 : -1];
#include <array>
#include <utility>

#include "Inputs/wild_report.h"

struct Vec {
  float x, y, z;
};
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator*(float s, const Vec& v) { return {s * v.x, s * v.y, s * v.z}; }
struct Params {
  double dt, table[3];
  Vec gravity;
  int stride;
  bool flips;
  double drag(double v) const { return v * (1 - dt) + gravity.z * table[1]; }
};
double copied(const Params &p, int i) {
  const Params own = p;
  return own.table[i % 3] * p.dt;
}
struct Scale {
  double factor;
  double operator()(double x) const { return factor * x; }
};
struct Square {  // without data
  double operator()(double x) const { return x * x; }
};
struct Cell {
  double mass, speed;
};

double byValue(Params p, double x) { return p.flips ? -p.drag(x) : p.table[p.stride]; }

void byReference(double* a, int n, const Params& p) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const Params copy = p;
    a[i] = copy.drag(a[i]) + p.drag(1) + p.table[i % 3];
  }
}

template <class F>
void apply(double* a, int n, F f) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = f(a[i]);
}

double kinetic(const Cell* cells, int i) { return cells[i].mass * cells[i].speed; }

int main() {
  const int n = 211;
#pragma ompx managed(a)
  double* a = new double[n];
#pragma ompx managed(cells)
  Cell* cells = new Cell[n];
  fill(a, n), fill(&cells[0].mass, 2 * n, 3);
  Params p{0.25, {1, 2, 3}, {0, -9.5f, 1}, 2, true};
  byReference(a, n, p);
  p.dt = 0.5;
  byReference(a, n, p);
  report("a", a, n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += byValue(p, a[i]);
  const Vec wind{1, 2, 3};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Vec v = p.gravity + 0.5f * wind;
    v = v + Vec{(float)i, 0, 1};
    a[i] += v.x + v.y + wind.z;
  }
  report("a", a, n);
  apply(a, n, Scale{0.125});
  apply(a, n, Square());

  std::array<double, 3> weights{1, 2, 0.5};
  std::pair<int, double> pair{3, 0.25};
  static constexpr std::array<double, 2> table = {0.5, 2};
  constexpr Cell kinds[2] = {{1, 2}, {3, 4}};
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    a[i] = weights[i % 3] * a[i] + pair.first * pair.second + table[i & 1] + kinds[i & 1].speed;
  report("a", a, n);

  Cell* alias = cells;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Cell* own = cells;
    alias[i].speed += own[i].mass;
    a[i] += kinetic(own, i);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    auto& [dt, table, gravity, stride, flips] = p;
    auto [x, y, z] = wind;
    const Vec &down = p.gravity;
    Vec way = down;
    way = way + down;
    a[i] += way.y;
    a[i] += dt * table[stride] + gravity.y + x * z + copied(p, i);
  }
  report("a", a, n), report("cells", &cells[0].mass, 2 * n);
  delete[] a;
  delete[] cells;
}
