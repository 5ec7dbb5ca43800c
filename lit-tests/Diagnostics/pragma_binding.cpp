// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directives that stand in the wrong place, or name something else.
// RUN: not %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
#include <cstdlib>
#include <vector>

// CHECK: :[[@LINE+3]]:21: error: 'b' is not declared here
// CHECK: :[[@LINE+3]]:1: note: this declares 'a', 'c'
// CHECK: :[[@LINE+1]]:24: error: 'd' is not declared here
#pragma omp managed(b, d, c)
double a[4], c[4];

// CHECK: :[[@LINE+2]]:1: error: 'managed' must stand before the declaration of its arrays, or before an assignment that allocates one
// CHECK: :[[@LINE+2]]:1: note: it stands before this
#pragma omp managed(a)
void function();

struct S {
  // CHECK: :[[@LINE+2]]:21: error: 'q' is not declared here
  // CHECK: :[[@LINE+2]]:3: note: this declares 'p', 'r'
#pragma omp managed(q)
  double *p, *r;
  // CHECK: :[[@LINE+2]]:21: error: 'one' cannot be managed: its type 'int' is a single value
  // CHECK: :[[@LINE+2]]:7: note: declared here
#pragma omp managed(one)
  int one;
};

void f(int n, double **o, std::vector<double> *vectors, double ***table) {
  double *u = nullptr, *v = nullptr;
  // CHECK: :[[@LINE+2]]:21: error: 'u' is not what the following statement assigns to
  // CHECK: :[[@LINE+2]]:3: note: the assignment
#pragma omp managed(u)
  v = new double[n];
  // CHECK: :[[@LINE+2]]:21: error: the assignment to 'u' does not allocate; expected new T[n], malloc, calloc, aligned_alloc, or a function that returns memory
  // CHECK: :[[@LINE+2]]:7: note: the value that is assigned
#pragma omp managed(u)
  u = v;
  // CHECK: :[[@LINE+1]]:1: error: 'managed' must stand before the declaration
#pragma omp managed(u)
  n += 1;
  S s, t;
  // CHECK: :[[@LINE+2]]:21: error: 's.p' is not what the following statement assigns to
  // CHECK: :[[@LINE+2]]:3: note: the assignment
#pragma omp managed(s.p)
  t.p = new double[n];
  // CHECK: :[[@LINE+3]]:21: error: 't.p' is already managed
  // CHECK: :[[@LINE+1]]:21: note: by this directive
#pragma omp managed(t.p)
#pragma omp managed(t.p)
  t.p = new double[n];
  // CHECK: :[[@LINE+2]]:21: error: '*o' is not what the following statement assigns to
  // CHECK: :[[@LINE+2]]:3: note: the assignment
#pragma omp managed(*o)
  *u = 1;
  // CHECK: :[[@LINE+1]]:21: error: '*vectors' cannot be managed: it is no pointer; the directive of an object stands before the object's declaration
#pragma omp managed(*vectors)
  *vectors = std::vector<double>(n);
#pragma omp managed(*table)
  *table = new double *[n];
  // Says the same again.
#pragma omp managed((*table)[0])
  (*table)[0] = new double[n];
  // CHECK: :[[@LINE+1]]:21: error: '*u' is not declared here
#pragma omp managed(*u)
  double *y = new double[n];
  // CHECK: :[[@LINE+1]]:1: error: 'managed' must stand before the declaration
#pragma omp managed(i)
  for (int i = 0; i < n; ++i) free(u);
  {
    // CHECK: :[[@LINE+1]]:1: error: 'managed' must stand before the declaration
#pragma omp managed(w)
  }
  double w[4];
  // CHECK: :[[@LINE+3]]:22: error: 'x' is already managed
  // CHECK: :[[@LINE+1]]:21: note: by this directive
#pragma omp managed(x)
#pragma ompx managed(x)
  double x[4];
}
