// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose arrays and sizes are members of objects outside of the loop. The plain program is the oracle.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t.muster 2> %t.remarks && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: not grep -E 'remark|warning' %t.remarks
#include <memory>
#include <vector>

#include "Inputs/wild_report.h"

struct Grid {
  int n, m;
  double* u;
  double* v;
  double h = 0.25;
};
struct Simulation {
  int steps;
  Grid* grid;
  Grid inner;
  float scale;
};
struct Weights {
  double w[5];
  int count;
};
struct Holder {
  std::vector<float> a;
  std::unique_ptr<int[]> b;
  std::vector<int> index;
};

void scale(Grid* g) {
#pragma omp parallel for
  for (int i = 1; i < g->n - 1; ++i)
    for (int j = 0; j < g->m; ++j) g->v[i * g->m + j] = g->u[(i - 1) * g->m + j] + g->h * g->u[(i + 1) * g->m + j];
}
void byReference(const Grid& g, double factor) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < g.n; ++i)
    for (int j = 0; j < g.m; ++j) g.u[i * g.m + j] += factor * g.v[i * g.m + j];
}
void nested(Simulation* sim) {
#pragma omp parallel for
  for (int i = 0; i < sim->grid->n * sim->grid->m; ++i) {
    (*(*sim).grid).u[i] = sim->scale * sim->inner.v[i] + sim->grid->h;
    Grid& g = *sim->grid;
    const Grid* p = &sim->inner;
    g.v[i] = p->v[i] - g.u[i];
  }
}
double weighted(const Weights& s, const Grid& g) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 2; i < g.n * g.m - 2; ++i)
    for (int k = 0; k < s.count; ++k) sum += s.w[k] * g.u[i + k - 2];
  return sum;
}
void vectors(Holder& h) {
#pragma omp parallel for
  for (std::size_t i = 0; i < h.a.size(); ++i) h.a[i] = 2 * h.a[i] + h.b[i] + h.index.size();
}

class Field {
 public:
  Field(int n, double* rho) : n_(n), rho(rho) {}
  void step(double dt) {
#define AT(i) rho[(i)]
#pragma omp parallel for
    for (int i = 0; i < n_; ++i) AT(i) = this->rho[i] * (1 - dt) + shift_ * n_;
  }
  double total() const {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads_)
    for (int i = 0; i < n_; i++) sum += rho[i];
    return sum;
  }

 private:
  int n_;
  int threads_ = 2;
  double shift_ = 0.5;

 public:
  double* rho;
};

static Grid global;
void globals() {
#pragma omp parallel for
  for (int i = 0; i < global.n; ++i) global.u[i * global.m] = global.v[i * global.m + 1];
}

int main() {
  Grid g;
  g.n = 37, g.m = 11;
  const int n = g.n * g.m;
#pragma ompx managed(u, v, x, y)
  double *u = new double[n], *v = new double[n], *x = new double[n], *y = new double[n];
  for (int i = 0; i < n; ++i) u[i] = i % 17, v[i] = i % 5, x[i] = i * 0.5, y[i] = 1;
  g.u = u, g.v = v;
  scale(&g);
  byReference(g, 0.125);
  report("u", u, n), report("v", v, n);
  Simulation sim{3, &g, g, 1.5f};
  sim.inner.u = x, sim.inner.v = y;
  nested(&sim);
  report("u", u, n), report("v", v, n);
  Weights w{{1, 2, 3, 2, 1}, 5};
  std::printf("%.17g\n", weighted(w, g));
  Field field(n, x);
  field.step(0.25);
  report("x", x, n);
  std::printf("%.17g\n", field.total());
  global = g;
  globals();
  report("u", u, n);
  Holder h;
  h.a.assign(91, 1.5f), h.index.assign(3, 1), h.b.reset(new int[91]);
  for (int i = 0; i < 91; ++i) h.b[i] = i;
  vectors(h);
  report("a", h.a.data(), 91);
  delete[] u;
  delete[] v;
  delete[] x;
  delete[] y;
}
