// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of vectors: where rows are moved to managed memory, and what a loop over them becomes.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=facts %s 2>&1 | FileCheck --check-prefix=FACTS %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=plan %s 2>&1 | FileCheck --check-prefix=PLAN %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
#include <utility>
#include <vector>
typedef std::vector<std::vector<double>> Grid;
struct Solver {
  Solver(int n, Grid other) : u(n, std::vector<double>(n)), v(std::move(other)) {}
#pragma omp managed(u)
  Grid u;
#pragma omp managed(v)
  Grid v;
};
// CHECK: Solver(int n, Grid other) : u((::muster::rowsScope(this->u, muster_site_u_11, true), n), std::vector<double>(n)), v(std::move(other)) {}
void f(int n, int m, std::vector<double> row) {
#pragma omp managed(a)
  Grid a(n, std::vector<double>(m));
#pragma omp managed(b)
  Grid b;
  b.resize(n);
  for (int i = 0; i < n; ++i) b[i].resize(m);
  b.push_back(row);
  b.push_back(std::move(row));
  b[0] = std::vector<double>(m);
  b = a;
  b = Grid(n);
  b = std::move(a);
#pragma omp managed(c)
  Grid c = std::move(b);
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < a[i].size(); ++j) a[i][j] += c[i - 1][j];
}
// CHECK: Grid a(n, std::vector<double>(m)); ::muster::manageRows(a, muster_site_a_19);
// CHECK: Grid b; ::muster::manageRows(b, muster_site_b_21);
// CHECK-NEXT: (::muster::rowsScope(b, muster_site_b_21, false), b.resize(n));
// CHECK-NEXT: for (int i = 0; i < n; ++i) (::muster::rowScope(b, b[i], muster_site_b_21), b[i].resize(m));
// CHECK-NEXT: (::muster::newRowScope(b, muster_site_b_21), b.push_back(row));
// CHECK-NEXT: {{^}}  b.push_back(std::move(row));
// CHECK-NEXT: (::muster::rowScope(b, b[0], muster_site_b_21), b[0] = std::vector<double>(m));
// CHECK-NEXT: (::muster::rowsScope(b, muster_site_b_21, false), b = a);
// CHECK-NEXT: (::muster::rowsScope(b, muster_site_b_21, true), b = Grid(n));
// CHECK-NEXT: {{^}}  b = std::move(a);
// CHECK: Grid c = std::move(b);{{$}}
// CHECK: ::muster::RowVectors<double> a_table(muster_c->arrays[0],
// CHECK-NEXT: typename std::remove_reference<decltype(a)>::type &a = *(typename std::remove_reference<decltype(a)>::type *)a_table.vector();
// CHECK: ::muster::rowSize(a)
// CHECK: ::muster::findRows(&muster_this_kernel, 0, &a, muster_span_0.low, muster_span_0.high, &muster_rows_a)
// FACTS: dim j: int from 0 while < a[i].size() step 1, found independent
// FACTS: array a: rows of double[0] read written
// FACTS: array c: rows of double[0] read
// PLAN: array a: partitioned, vector of vectors of double
