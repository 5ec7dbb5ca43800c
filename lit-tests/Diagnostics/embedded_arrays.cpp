// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays inside of objects: those that a directive names travel as copies; what keeps a loop over them on the host.
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-remarks=all %s 2>&1 | FileCheck %s
#include <array>
struct Grid {
  int n;
  // CHECK-DAG: :[[@LINE+1]]:22: remark: array 'u' travels as a copy at every launch: it lies inside of objects; an array of its own is cheaper
#pragma ompx managed(u)
  double u[40][30];
  double plain[40];
  int column(int j) const { return j % n; }
  double &at(int i, int j) { return u[i][j % n]; }
};
struct Small {
#pragma ompx managed(s)
  double s[8];
  double scale;
};
static double total(Small by) { return by.s[0] + by.scale; }
#define U(g, i) g.u[i][0]

void loops(Grid &g, Small &small) {
  // CHECK-DAG: :[[@LINE+1]]:1: remark: loop is outlined as 'muster_loops_[[@LINE+1]]' for all devices
#pragma omp parallel for
  for (int i = 0; i < g.n; ++i) g.u[i][g.column(i)] = i;
  // CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}writes 'g.plain', an array inside of an object; the directive 'managed' of 'plain' in front of its declaration lets copies of it travel, a pointer to an array of its own is cheaper
#pragma omp parallel for
  for (int i = 0; i < g.n; ++i) g.plain[i] = i;
  // CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}calls a function that uses 'g.u', an array inside of an object, and other members of the object; index it in the loop itself
#pragma omp parallel for
  for (int i = 0; i < 40; ++i) g.at(i, 3) = i;
  // CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}uses 'g.u', an array inside of an object of which it uses other members, too, in a macro or in the head of the loop
#pragma omp parallel for
  for (int i = 0; i < g.n; ++i) { U(g, i) = g.n; }
  // CHECK-DAG: :[[@LINE+1]]:1: remark: {{.*}}writes 'small.s', a part of an object that it uses as a whole
#pragma omp parallel for
  for (int i = 0; i < 8; ++i) small.s[i] = total(small);
}
