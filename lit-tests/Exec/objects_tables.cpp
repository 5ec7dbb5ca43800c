// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers that are members, with indexes that are constants or variables of the launch site. The plain
// program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -Wall -Wextra -Werror %s -o %t.muster 2>&1 | %filecheck --allow-empty --check-prefix=SILENT %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster 2> %t.warnings | diff %t.expected - && not grep 'not build' %t.warnings
// SILENT-NOT: muster
#include <cstdio>
#include <cstdlib>
#include <vector>
static void report(const char* name, const double* a, long n) {
  double sum = 0, weighted = 0;
  for (long i = 0; i < n; ++i) sum += a[i], weighted += a[i] * (double)(i % 7);
  printf("%s %.17g %.17g\n", name, sum, weighted);
}

enum Field { RHO, MOM, ENE, FIELDS };
struct Grid {
  double* u;
  int n;
};
class Solver {
  double* q_[FIELDS];
  float* work_[2];
  Grid* grids_[2];
  int n_;

 public:
  explicit Solver(int n) : n_(n) {
    for (int f = 0; f < FIELDS; ++f) {
#pragma ompx managed(q_[f])
      q_[f] = new double[n];
    }
    for (int k = 0; k < 2; ++k) {
#pragma ompx managed(work_[k])
      work_[k] = new float[n];
      grids_[k] = new Grid;
      grids_[k]->n = n;
#pragma ompx managed(grids_[k]->u)
      grids_[k]->u = new double[n];
    }
  }
  ~Solver() {
    for (auto* q : q_) delete[] q;
    for (int k = 0; k < 2; ++k) delete[] work_[k], delete[] grids_[k]->u, delete grids_[k];
  }
  double kinetic(int i) const { return 0.5 * q_[MOM][i] * this->q_[MOM][i] / q_[RHO][i]; }
  void init() {
#pragma omp parallel for
    for (int i = 0; i < n_; ++i) {
      q_[RHO][i] = 1 + i % 3;
      q_[MOM][i] = i;
      this->q_[ENE][i] = 2 * i;
      work_[0][i] = (float)i;
      grids_[0]->u[i] = i;
      work_[1][i] = 0;
    }
  }
  void step(int t) {
    const int from = t % 2, to = 1 - from;
#pragma omp parallel for
    for (int i = 1; i < n_ - 1; ++i) work_[to][i] = 0.5f * (work_[from][i - 1] + work_[from][i + 1]);
#pragma omp parallel for
    for (int i = 0; i < n_; ++i) grids_[1]->u[i] = grids_[0]->u[i] + work_[to][i] + kinetic(i) + grids_[0]->n;
    grids_[0]->u[0] = t;
    for (int f = 0; f < FIELDS; ++f) {
#pragma omp parallel for
      for (int i = 0; i < n_; ++i) q_[f][i] += f * 0.25;
    }
  }
  double norm(int f, int g) {
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n_; ++i) s += q_[f][i] * q_[g][i];
    int same = f;
    // One array under two names, one of them written.
#pragma omp parallel for
    for (int i = 0; i < n_; ++i) q_[same][i] = q_[f][i] + 1;
    return s;
  }
  void print() {
    report("rho", q_[RHO], n_), report("mom", q_[MOM], n_), report("ene", q_[ENE], n_);
    report("g0", grids_[0]->u, n_), report("g1", grids_[1]->u, n_);
    printf("%g %g\n", work_[0][n_ / 2], work_[1][n_ / 2]);
  }
};
template <class T>
struct Pair {
  T* v[2];
  int n;
  void run() {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) v[1][i] = v[0][i] * 2 + i;
  }
};
int main() {
  Solver s(1501);
  s.init();
  for (int t = 0; t < 3; ++t) s.step(t);
  printf("%.17g %.17g\n", s.norm(0, 2), s.norm(1, 1));
  s.print();
  Pair<double> p;
  p.n = 99;
#pragma ompx managed(p.v[0])
  p.v[0] = new double[99];
#pragma ompx managed(p.v[1])
  p.v[1] = new double[99];
  for (int i = 0; i < 99; ++i) p.v[0][i] = i, p.v[1][i] = 0;
  p.run();
  report("p", p.v[1], 99);
  delete[] p.v[0], delete[] p.v[1];
  // No iterations, and an index out of range that none of them uses.
  struct Few {
    double* a[2];
    int n;
  } few = {{nullptr, nullptr}, 0};
  int none = -1;
#pragma omp parallel for
  for (int i = 0; i < few.n; ++i) few.a[none][i] = few.a[1][i];
}
