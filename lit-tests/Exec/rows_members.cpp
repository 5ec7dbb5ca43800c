// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows that are members of structs and classes, in both styles of allocation, in the body, in methods and in
// functions that get the table: all loops are distributed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
#include <cstdio>
#include <cstdlib>
#include <utility>

struct Grid {
  int n, m;
  double **u;
  double **v;
};

static double **alloc2d(int n, int m) {
#pragma ompx managed(a)
  double **a = (double **)malloc(n * sizeof(double *));
  for (int i = 0; i < n; i++) a[i] = (double *)calloc(m, sizeof **a);
  return a;
}

static Grid *make(int n, int m) {
  Grid *g = (Grid *)malloc(sizeof *g);
  g->n = n, g->m = m, g->u = alloc2d(n, m);
#pragma ompx managed(g->v)
  g->v = (double **)malloc(n * sizeof(double *));
  for (int i = 0; i < n; i++) g->v[i] = (double *)calloc(m, sizeof(double));
  return g;
}

static double around(double **u, int i, int j) { return u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]; }
static double inside(double *const *const u, int i, int j) {
  const double *row = u[i];
  return row[j] + around(const_cast<double **>(u), i, j);
}
static double second(double **const &u, int i, int j) { return around(u, i, j) + *u[0] + (*u)[j]; }

static void step(Grid *g) {
#pragma omp parallel for
  for (int i = 1; i < g->n - 1; ++i)
    for (int j = 1; j < g->m - 1; ++j)
      g->v[i][j] = 0.25 * (g->u[i - 1][j] + g->u[i + 1][j] + g->u[i][j - 1] + g->u[i][j + 1]);
}

static void stepByFunction(Grid &g) {
#pragma omp parallel for
  for (int i = 1; i < g.n - 1; ++i) {
    double **w = g.v;
    for (int j = 1; j < g.m - 1; ++j) w[i][j] = 0.125 * (around(g.u, i, j) + second(g.u, i, j));
  }
}

// A table that is a variable, but whose rows' pointers a function reads.
static void stepOfParameters(double **v, double **u, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) v[i][j] = 0.25 * around(u, i, j) + u[i][j] / 8;
}

class Field {
 public:
  Field(int n, int m) : n_(n), m_(m) {
    data_ = new float *[n];
#pragma ompx managed(data_[0])
    data_[0] = new float[n * m]();
    for (int i = 1; i < n; ++i) data_[i] = data_[i - 1] + m;
  }
  ~Field() {
    delete[] data_[0];
    delete[] data_;
  }
  Field(const Field &) = delete;
  float &operator()(int i, int j) { return data_[i][j]; }
  float at(int i, int j) const { return data_[i][j]; }
  void fill() {
#pragma omp parallel for
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j) data_[i][j] = i * j % 7;
  }
  void twice() {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j) this->data_[i][j] *= 2;
  }
  void addReversed(const Field &other) {
#pragma omp parallel for
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j) (*this)(i, j) += other.at(n_ - 1 - i, j);
  }
  long sum() const {
    long s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n_; ++i) {
      const float *const row = data_[i];
      for (int j = 0; j < m_; ++j) s += (long)row[j] * (i + j);
    }
    return s;
  }

 private:
  int n_, m_;
  float **data_;
};

template <class T> struct Matrix {
  Matrix(int n) : n(n) {
    rows = new T *[n];
#pragma ompx managed(rows[0])
    rows[0] = new T[n * n]();
    for (int i = 1; i < n; ++i) rows[i] = rows[0] + i * n;
  }
  ~Matrix() {
    delete[] *rows;
    delete[] rows;
  }
  void eliminate() {
    for (int k = 0; k < n; ++k) {
#pragma omp parallel for
      for (int i = k + 1; i < n; ++i) {
        rows[i][k] /= rows[k][k];
        for (int j = k + 1; j < n; ++j) rows[i][j] -= rows[i][k] * rows[k][j];
      }
    }
  }
  int n;
  T **rows;
};

int main() {
  Grid *g = make(53, 29);
#pragma omp parallel for
  for (int i = 0; i < g->n; ++i)
    for (int j = 0; j < g->m; ++j) g->u[i][j] = i * j % 7, g->v[i][j] = 1;
  for (int t = 0; t < 3; ++t) {
    step(g);
    std::swap(g->u, g->v);
    stepByFunction(*g);
    std::swap(g->u, g->v);
    stepOfParameters(g->v, g->u, g->n, g->m);
    std::swap(g->u, g->v);
  }
  double s = 0;
#pragma omp parallel for
  for (int i = 1; i < g->n - 1; ++i)
    for (int j = 1; j < g->m - 1; ++j) g->v[i][j] = inside(g->u, i, j);
  for (int i = 0; i < g->n; ++i)
    for (int j = 0; j < g->m; ++j) s += g->u[i][j] * i + g->v[i][j];
  std::printf("%.12g\n", s);
  Field f(31, 17), h(31, 17);
  f.fill(), h.fill(), f.twice(), f.addReversed(h);
  std::printf("%ld %g\n", f.sum(), f.at(30, 3));
  Matrix<double> a(37);
#pragma omp parallel for
  for (int i = 0; i < a.n; ++i)
    for (int j = 0; j < a.n; ++j) a.rows[i][j] = i == j ? 2 * a.n : (i * j) % 5;
  a.eliminate();
  std::printf("%.12g %.12g\n", a.rows[36][36], a.rows[36][0]);
  Grid none = {0, 0, nullptr, nullptr};
  step(&none);
  stepByFunction(none);
}
