// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of vectors: filled by a constructor, resized, row by row, pushed, as members, swapped and passed by reference.
// All loops are distributed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
#include <cstdio>
#include <utility>
#include <vector>

typedef std::vector<std::vector<double>> Grid;

static double around(const Grid &g, int i, int j) {
  const int n = g.size(), m = g[0].size();
  return g[(i + n - 1) % n][j] + g[(i + 1) % n][j] + g[i][(j + m - 1) % m] + g[i][(j + 1) % m];
}

static void step(const Grid &now, Grid &next) {
#pragma omp parallel for
  for (int i = 0; i < (int)now.size(); ++i)
    for (int j = 0; j < (int)now[i].size(); ++j) next[i][j] = 0.25 * around(now, i, j);
}

// Names for rows; sizes of rows of another type.
static void add(const Grid &from, std::vector<std::vector<float>> &to) {
#pragma omp parallel for
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::vector<double> &row = from[i];
    auto &sums = to.at(i);
    for (std::size_t j = 0; j < row.size(); ++j) sums[j] += row[j] + sums.size() - to.size();
  }
}

static double sum(const Grid &g) {
  double s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (std::size_t i = 0; i < g.size(); i++)
    for (std::size_t j = 0; j < g[0].size(); j++) s += g[i][j] * (i + 2 * j);
  return s;
}

static void transpose(const Grid &a, Grid &b) {
#pragma omp parallel for
  for (int i = 0; i < (int)a.size(); ++i)
    for (int j = 0; j < (int)a[0].size(); ++j) b[j][i] = a[i][j];
}

class Solver {
 public:
  Solver(int n, int m) : u(n, std::vector<double>(m, 1)), v(n) {
    for (auto k = 0; k < n; ++k) v[k].assign(m, 2);
  }
  void advance() {
#pragma omp parallel for
    for (int i = 1; i < (int)u.size() - 1; i++)
      for (int j = 1; j < (int)u[i].size() - 1; j++) v[i][j] = u[i - 1][j] + this->u[i + 1][j] - u[i][j];
    std::swap(u, v);
  }
#pragma ompx managed(u)
  Grid u;
#pragma ompx managed(v)
  Grid v;
};

struct Pair {
  int key;
  double weight;
};

int main() {
  const int n = 37, m = 23;
#pragma ompx managed(a)
  Grid a(n, std::vector<double>(m, 1.5));
#pragma ompx managed(b)
  Grid b;
  b.resize(n, std::vector<double>(m));
#pragma ompx managed(c)
  std::vector<std::vector<float>> c(n);
  for (int i = n; i-- > 0;) c[i].resize(m);
#pragma ompx managed(d)
  Grid d;
  for (int i = 0; i < n; ++i) d.push_back(std::vector<double>(m, i));
#pragma ompx managed(t)
  Grid t = Grid(m, std::vector<double>(n));
#pragma ompx managed(pairs)
  std::vector<std::vector<Pair>> pairs;
  pairs.reserve(n);
  for (int i = 0; i < n; ++i) pairs.emplace_back(m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = i * j % 7;
  for (int k = 0; k < 5; ++k) {
    step(a, b);
    std::swap(a, b);
    add(a, c);
    b.swap(a);
    step(b, d);
    a = b;
  }
  transpose(d, t);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) pairs[i][j] = {i, d[i][j]};
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i)
    for (auto j = 0u; j < pairs[i].size(); ++j) s += pairs[i][j].weight * pairs[i][j].key + c[i][j];
  std::printf("%.12g %.12g %.12g %.12g\n", s, sum(a), sum(d), sum(t));
  Solver solver(n, m);
  solver.u[3][4] = 7;
  for (int k = 0; k < 4; ++k) solver.advance();
  Solver *other = &solver;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) other->u[i][j] += other->v[i][j];
  std::printf("%.12g %g\n", sum(solver.u), solver.v[5][5]);
  Grid none;
  step(none, none);
  long cells = 0;  // nothing but sizes
#pragma omp parallel for reduction(+ : cells)
  for (int i = 0; i < n; ++i)
    for (std::size_t j = 0; j + 1 < a[i].size() + 1; ++j) cells++;
  std::printf("%ld\n", cells);
#pragma ompx managed(single)
  Grid single(1, std::vector<double>(1, 3));
  std::printf("%g\n", sum(single));
}
