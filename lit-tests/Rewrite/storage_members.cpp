// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members: every place at which this file gives one memory.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s 2>&1 | %filecheck %s
#include <cstdlib>
#include <memory>
#include <vector>

struct Grid {
#pragma omp managed(u, v)
  double *u, *v = new double[8];
  // CHECK: double *u, *v = ::muster::PartitionedArray<double>::allocate(muster_site_v_[[@LINE-1]], 8).host();
#pragma omp managed(rho)
  std::vector<float> rho;
#pragma omp managed(fixed)
  std::vector<int> fixed = std::vector<int>(7);
  // CHECK: std::vector<int> fixed = std::vector<int>((::muster::VectorScope(muster_site_fixed_[[@LINE-1]], 4), 7));
#pragma omp managed(owned)
  std::unique_ptr<double[]> owned;
  int n;

  explicit Grid(int n) : u(new double[n]()), rho(n, 1.5f), owned(new double[n]), n(n) {}
  // CHECK: : u(::muster::PartitionedArray<double>::create(muster_site_u_[[@LINE-1]], n).host()), rho((::muster::VectorScope(muster_site_rho_{{[0-9]+}}, 4), n), 1.5f), owned((::muster::AllocationScope(muster_site_owned_{{[0-9]+}}, 8), new double[n])), n(n) {}
  Grid() : u{new double[4]}, rho{1, 2}, owned(std::make_unique<double[]>(4)), n(4) { v = (double *)malloc(32); }
  // CHECK: Grid() : u{::muster::PartitionedArray<double>::allocate({{.*}}, 4).host()}, rho((::muster::VectorScope({{.*}}, 4), std::vector<float>{1, 2})), owned((::muster::AllocationScope({{.*}}, 8), std::make_unique<double[]>(4))), n(4) { v = (double *)muster_array_malloc(&muster_site_v_{{.*}}, 32); }
  ~Grid() { delete[] u; }
  // CHECK: (muster_release((void *)u) ? (void)0 : delete[] u)
  void grow(int m) {
    rho.resize(m);
    // CHECK: (::muster::VectorScope(muster_site_rho_{{[0-9]+}}, 4), rho.resize(m));
    this->owned.reset(new double[m]);
    // CHECK: (::muster::AllocationScope(muster_site_owned_{{[0-9]+}}, 8), this->owned.reset(new double[m]));
  }
};

struct Tube { double *q, *left; struct { int *cells; } mesh; };
std::vector<float> made();
void f(Grid &grid, Grid *other, Tube &tube, Tube *tubes, int n) {
  grid.rho.assign(n, 1);
  // CHECK: (::muster::VectorScope(muster_site_rho_{{[0-9]+}}, 4), grid.rho.assign(n, 1));
  other->rho = made();
  // CHECK: (other->rho = made(), ::muster::manageVector(other->rho, muster_site_rho_{{[0-9]+}}));
  other->owned = std::make_unique<double[]>(n);
  // CHECK: (::muster::AllocationScope(muster_site_owned_{{[0-9]+}}, 8), other->owned = std::make_unique<double[]>(n));
  grid.u = new double[n];
  // CHECK: grid.u = ::muster::PartitionedArray<double>::allocate(muster_site_u_[[@LINE-1]], n).host();
#pragma omp managed(tube.q)
  tube.q = new double[n];
  // CHECK: tube.q = ::muster::PartitionedArray<double>::allocate(muster_site_q_[[@LINE-1]], n).host();
  tube.left = new double[n];
  // CHECK: tube.left = new double[n];
  tube.q = new double[n];
  // CHECK: tube.q = new double[n];
#pragma omp managed(tubes [ 2 ].mesh.cells)
  if (!(tubes[2].mesh.cells = (int *)calloc(n, 4))) return;
  // CHECK: if (!(tubes[2].mesh.cells = (int *)muster_array_calloc(&muster_site_cells_[[@LINE-1]], n, 4))) return;
}

struct Method {
  double *rho, *p;
  std::vector<int> cells;
  void allocate(int n) {
#pragma omp managed(rho)
    this->rho = new double[n];
    // CHECK: this->rho = ::muster::PartitionedArray<double>::allocate(muster_site_rho_[[@LINE-1]], n).host();
#pragma omp managed(this->p)
    p = new double[n];
    // CHECK: p = ::muster::PartitionedArray<double>::allocate(muster_site_p_[[@LINE-1]], n).host();
#pragma omp managed(cells)
    cells.resize(n);
    // CHECK: (::muster::VectorScope(muster_site_cells_{{[0-9]+}}, 4), cells.resize(n));
  }
};
