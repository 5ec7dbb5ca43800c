// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of objects are variables of their own: access maps see through paths, methods and operators.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck %s
#include <vector>
struct Grid {
  int n, m;
  double *u, *v;
  std::vector<float> w;
  double operator()(int i, int j) const { return u[i * m + j]; }
  double *row(int i) { return v + i * m; }
};
struct Simulation {
  Grid *grid;
};

// CHECK-LABEL: loop {{[0-9]+}} in paths
// CHECK: reads sim->grid->u[(sim->grid->m)*i + j] at
// CHECK: writes sim->grid->v[(sim->grid->m)*i + j] at
void paths(Simulation *sim) {
#pragma omp parallel for
  for (int i = 0; i < sim->grid->n; ++i)
    for (int j = 0; j < sim->grid->m; ++j) sim->grid->v[i * sim->grid->m + j] = sim->grid->u[i * sim->grid->m + j];
}
// CHECK-LABEL: loop {{[0-9]+}} in methods
// CHECK: reads a.u[(a.m)*i + j - (a.m)] conditionally at
// CHECK: writes b.v[(b.m)*i + j] at
// CHECK: calls row
// CHECK: calls operator()
void methods(const Grid &a, Grid &b) {
#pragma omp parallel for
  for (int i = 1; i < a.n; ++i)
    for (int j = 0; j < a.m; ++j) b.row(i)[j] = a(i - 1, j);
}
// CHECK-LABEL: loop {{[0-9]+}} in vectors
// CHECK: writes g.w[i + (g.w.size())] at
void vectors(Grid &g) {
#pragma omp parallel for
  for (int i = -3; i < 0; ++i) g.w[i + (int)g.w.size()] = 0;
}
