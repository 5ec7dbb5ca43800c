// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that functions allocate, and forms of new that only a scope can serve.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s 2>&1 | %filecheck %s
#include <cstdlib>
#include <memory>
#include <new>
#define ALLOCATE(n) ((double *)malloc(8 * (n)))
double *make(int n);
void make2d(double **out, int n);
void makeByReference(double *&out, int n);
template <class T> T *alloc(std::size_t n) { return (T *)malloc(n * sizeof(T)); }
// CHECK: return (T *)malloc(n * sizeof(T));
int next();
struct Set { double x = 1; };

#pragma omp managed(early)
static double *early = make(3);
// CHECK: static double *early = (::muster::AllocationScope(muster_site_early_[[@LINE-1]], 8), make(3));

void f(int n) {
#pragma omp managed(a)
  double *a = make(n), *plain = make(n);
  // CHECK: double *a = (::muster::AllocationScope(muster_site_a_[[@LINE-1]], 8), make(n)), *plain = make(n);
#pragma omp managed(b)
  float *b = alloc<float>(n);
  // CHECK: float *b = (::muster::AllocationScope(muster_site_b_[[@LINE-1]], 4), alloc<float>(n));
#pragma omp managed(c, d)
  double *c, *d;
  make2d(&c, n);
  // CHECK: (::muster::AllocationScope(muster_site_c_[[@LINE-1]], 8), make2d(&c, n));
  makeByReference(d, n);
  // CHECK: (::muster::AllocationScope(muster_site_d_[[@LINE-1]], 8), makeByReference(d, n));
  double *e;
#pragma omp managed(e)
  if (posix_memalign((void **)&e, 64, 8 * n)) return;
  // CHECK: if (muster_array_posix_memalign(&muster_site_e_[[@LINE-1]], (void **)&e, 64, 8 * n)) return;
#pragma omp managed(g)
  double *g = ALLOCATE(n);
  // CHECK: double *g = (::muster::AllocationScope(muster_site_g_[[@LINE-1]], 8), ALLOCATE(n));
#pragma omp managed(h)
  double *h = new double[2]{1, 2};
  // CHECK: double *h = (::muster::AllocationScope(muster_site_h_[[@LINE-1]], 8), new double[2]{1, 2});
#pragma omp managed(i)
  double *i = new (std::nothrow) double[n];
  // CHECK: double *i = (::muster::AllocationScope(muster_site_i_[[@LINE-1]], 8), new (std::nothrow) double[n]);
#pragma omp managed(set)
  Set *set = new Set[next()];
  // CHECK: Set *set = (::muster::AllocationScope(muster_site_set_[[@LINE-1]], 8), new Set[next()]);
#pragma omp managed(owned)
  auto owned = std::make_unique<double[]>(n);
  // CHECK: muster_allocation_scope_begin(&muster_site_owned_[[@LINE-1]], 8); auto owned = std::make_unique<double[]>(n); muster_allocation_scope_end();
#pragma omp managed(list)
  std::unique_ptr<int[]> list(new int[3]{1, 2, 3});
  // CHECK: muster_allocation_scope_begin({{.*}}); std::unique_ptr<int[]> list(new int[3]{1, 2, 3}); muster_allocation_scope_end();
  list = nullptr;
  // CHECK: list = nullptr
}
