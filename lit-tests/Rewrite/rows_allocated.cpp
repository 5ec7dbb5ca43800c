// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A managed table and its rows: one by one, in one block, through an out-parameter.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
#include <cstdlib>
struct Point { int x = 1; };
void f(int n, int m, double ***out) {
#pragma omp managed(a)
  double **a = new double *[n];
  for (int i = 0; i < n; ++i) a[i] = new double[m];
  // CHECK: {{^}}  double **a = static_cast<double **>(muster_table_create(nullptr, n));
  // CHECK-NEXT: a[i] = static_cast<double *>(muster_row_new(&muster_site_a_[[@LINE-2]], (void *)&(a[i]), m));
  // Rows in one block are an array as any other.
#pragma omp managed(b)
  float **b = (float **)malloc(n * sizeof *b);
  *b = (float *)malloc(n * m * sizeof **b);
  // CHECK: {{^}}  float **b = (float **)muster_table_malloc(nullptr, n * sizeof *b);
  // CHECK-NEXT: *b = (float *)muster_array_malloc(&muster_site_b_[[@LINE-2]], n * m * sizeof **b);
#pragma omp managed(*out)
  *out = (double **)calloc(n, sizeof **out);
  for (int i = 0; i < n; ++i) (*out)[i] = (double *)calloc(m, 8);
  // CHECK: {{^}}  *out = (double **)muster_table_calloc(nullptr, n, sizeof **out);
  // CHECK-NEXT: (*out)[i] = (double *)muster_row_calloc(&muster_site_out_[[@LINE-2]], (void *)&((*out)[i]), m, 8);
#pragma omp managed(p)
  Point **p = new Point *[n];
  for (int i = 0; i < n; i++) p[i] = new Point[m];
  // CHECK: p[i] = ::new (static_cast<void *>(static_cast<Point *>(muster_row_new(&muster_site_p_[[@LINE-1]], (void *)&(p[i]), m)))) Point[m];
  // The place would be evaluated twice.
#pragma omp managed(q)
  int **q = new int *[n], k = 0;
  while (k < n) q[k++] = new int[m];
  // CHECK: while (k < n) q[k++] = ::muster::PartitionedArray<int>::allocate(muster_site_q_[[@LINE-1]], m).host();
}
