// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of elements written by several devices: whether chunks meet is seen at the launch, from the sizes of the run.
// The plain program is the oracle.
//
// RUN: %plain -O1 -w -ffp-contract=off %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -ffp-contract=off %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster \
// RUN: | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster \
// RUN: | diff %t.expected -
// Only the loops whose chunks do meet run on one device:
// RUN: %run MUSTER_INFO=1 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster 2> %t.info | diff %t.expected -
// RUN: FileCheck %s --input-file=%t.info
// CHECK-NOT: this loop runs
// CHECK: this loop runs on one device: line {{[0-9]+}}: array p: a write of parts of elements that several devices may write
// CHECK: this loop runs on one device: line {{[0-9]+}}: array p: a write of parts
// CHECK-NOT: this loop runs
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

struct Vec {
  double x, y, z;
};
struct Cell {
  Vec vel;
  double rho, f[5];
  int marks;
};

struct Grid {
  int nx, ny;
  std::vector<Cell> cell;
  int at(int x, int y) const { return y * nx + x; }
};

static void sum(const char *what, const Cell *p, int n) {
  double s = 0, t = 0;
  long marks = 0;
  for (int i = 0; i < n; ++i) {
    s += (i % 17 + 1) * (p[i].rho + 2 * p[i].vel.x + 3 * p[i].vel.y + 5 * p[i].vel.z);
    for (int k = 0; k < 5; ++k) t += (k + i % 5) * p[i].f[k];
    marks += (i % 7) * p[i].marks;
  }
  printf("%s %.17g %.17g %ld\n", what, s, t, marks);
}

static void rows(Cell *p, int nx, int ny) {
  for (int t = 0; t < 3; ++t) {
#pragma omp parallel for
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        p[y * nx + x].rho = 1 + 0.5 * x + 0.25 * y * t;
        p[y * nx + x].vel.x += p[y * nx + x].rho;
        if (x % 3 == t) p[y * nx + x].marks++;
      }
#pragma omp parallel for
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        Cell &c = p[y * nx + x];
        c.vel.y = 0.25 * (p[(y - 1) * nx + x].rho + p[(y + 1) * nx + x].rho + p[y * nx + x - 1].rho + c.vel.x);
        for (int k = 0; k < 5; ++k) c.f[k] += k * c.vel.y;
      }
    sum("rows", p, nx * ny);
  }
  // Columns, planes and backwards.
#pragma omp parallel for
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y) p[y * nx + x].vel.z = x - y;
#pragma omp parallel for
  for (int y = ny - 1; y >= 0; --y)
    for (int x = 0; x < nx; ++x) p[y * nx + x].f[x % 5] = y;
#pragma omp parallel for
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      if (x == y) p[y * nx + x] = Cell{{1, 2, 3}, 4, {5}, 6};
      p[y * nx + x].marks += 2;
    }
  sum("others", p, nx * ny);
}

// Whole elements and members through a second pointer into the array: the halves do not meet.
static void halves(Cell *p, Cell *q, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    p[i].rho = i;
    q[i] = p[i];
    q[i].vel.x = 7 * i;
  }
}

static void methods(Grid &g) {
#pragma omp parallel for collapse(2)
  for (int y = 0; y < g.ny; ++y)
    for (int x = 0; x < g.nx; ++x) {
      g.cell[g.at(x, y)].rho = x + 0.5 * y;
      g.cell[g.at(x, y)].vel.z -= x;
    }
  sum("methods", g.cell.data(), g.nx * g.ny);
}

// Different members of one element, by different iterations: no race, but chunks meet.
static void meeting(Cell *p, int n, const int *where) {
#pragma omp parallel for
  for (int i = 0; i < n - 1; ++i) {
    p[i].vel.x += i;
    p[i + 1].vel.y = 2 * i;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[where[i]].rho += 3 * i;
  sum("meeting", p, n);
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? atoi(argv[1]) : 41, ny = argc > 2 ? atoi(argv[2]) : 31, n = nx * ny;
#pragma ompx managed(p)
  Cell *p = new Cell[n]();
#pragma ompx managed(where)
  int *where = new int[n];
  for (int i = 0; i < n; ++i) where[i] = (i * 7L) % n;
  rows(p, nx, ny);
  halves(p, p + n / 2, n / 2);
  sum("halves", p, n);
  Grid g{nx, ny, {}};
#pragma ompx managed(g.cell)
  g.cell.resize(n);
  methods(g);
  meeting(p, n, where);
  delete[] p;
  delete[] where;
}
