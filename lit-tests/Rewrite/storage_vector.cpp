// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors: their declarations and the calls that may give them a new buffer stand in the scope of their site.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-print=rewrite %s 2>&1 | %filecheck %s
#include <vector>
std::vector<double> read(int n) { return std::vector<double>(n); }

#pragma omp managed(global)
static std::vector<float> global(100);
// CHECK: static const bool muster_scope_global_[[@LINE-1]] = (muster_vector_scope_begin(&muster_site_global_[[@LINE-1]], 4), true); static std::vector<float> global(100); static const bool muster_scope_end_global_[[@LINE-1]] = (muster_vector_scope_end(), true);

void f(int n) {
#pragma omp managed(u)
  std::vector<double> u(n, 1.0);
  // CHECK: muster_vector_scope_begin(&muster_site_u_[[@LINE-1]], 8); std::vector<double> u(n, 1.0); muster_vector_scope_end();
  // A declaration is taken apart; its lines stay.
#pragma omp managed(v, w)
  std::vector<double> v(n), other,
      w = {1, 2, 3};
  // CHECK: muster_vector_scope_begin(&muster_site_v_[[@LINE-2]], 8); std::vector<double> v(n); muster_vector_scope_end(); std::vector<double> other; muster_vector_scope_begin(&muster_site_w_[[@LINE-1]], 8); std::vector<double> w = {1, 2, 3}; muster_vector_scope_end();
  // CHECK-EMPTY:
#pragma omp managed(x)
  auto x = read(n);
  // CHECK: auto x = read(n); ::muster::manageVector(x, muster_site_x_[[@LINE-1]]);
  u.resize(2 * n);
  // CHECK: (::muster::VectorScope(muster_site_u_{{[0-9]+}}, 8), u.resize(2 * n));
  if (n > 3) u.push_back(3);
  // CHECK: if (n > 3) (::muster::growthScope(u, muster_site_u_{{[0-9]+}}, 8), u.push_back(3));
  u.emplace_back(2.0 * v.size());
  // CHECK: (::muster::growthScope(u, muster_site_u_{{[0-9]+}}, 8), u.emplace_back(2.0 * v.size()));
  // What the argument calls may fill the vector.
  u.push_back(read(n)[0]);
  // CHECK: (::muster::VectorScope(muster_site_u_{{[0-9]+}}, 8), u.push_back(read(n)[0]));
  u.push_back((u.push_back(1), 2));
  // CHECK: (::muster::VectorScope(muster_site_u_{{[0-9]+}}, 8), u.push_back(((::muster::growthScope(u, muster_site_u_{{[0-9]+}}, 8), u.push_back(1)), 2)));
  u.assign(n, 0), v.reserve(n);
  // CHECK: (::muster::VectorScope(muster_site_u_{{[0-9]+}}, 8), u.assign(n, 0)), (::muster::VectorScope(muster_site_v_{{[0-9]+}}, 8), v.reserve(n));
  u = v;
  // CHECK: (::muster::VectorScope(muster_site_u_{{[0-9]+}}, 8), u = v);
  u = read(n);
  // CHECK: (u = read(n), ::muster::manageVector(u, muster_site_u_{{[0-9]+}}));
  u.swap(v);
  // CHECK: {{^}}  u.swap(v);
  other.resize(n);
  // CHECK: {{^}}  other.resize(n);
  global.clear();
  // CHECK: {{^}}  global.clear();
}
