// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over tables of rows: what is found out before the launch, and the plain loop behind it.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=facts %s 2>&1 | FileCheck --check-prefix=FACTS %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=plan %s 2>&1 | FileCheck --check-prefix=PLAN %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
#include <cstdlib>
void f(int n, int m) {
#pragma omp managed(block)
  double *block = new double[n * m];
  double **a = (double **)malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i) a[i] = block + i * m;
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] += a[i - 1][m - j - 1];
}
// FACTS: loop 12 in f
// FACTS: array a: rows of double[0] read written
// FACTS: row i - 1 of a
// FACTS-NEXT: row i of a
// PLAN: array block: partitioned, new of double: its indexes follow the loops that are split over the devices, as a[a_length*i - j - a_length + m - 1] does with 'i' in line 14
// CHECK: {{^}}{ bool muster_loop_12_launched = false;
// CHECK: typedef double muster_row_a[*(const int64_t *)muster_c->scalars[1]];
// CHECK-NEXT: {{^}}      muster_row_a *a = (muster_row_a *)muster_c->arrays[0];
// CHECK: {{^}}    1, 0, -1,  // row i - 1 of a
// CHECK-NEXT: {{^}}    1, 0, 0,  // row i of a
// CHECK: {{^}}  if (muster_row_forms.exact() && ::muster::spanOf(muster_span_0, muster_row_forms.data(), muster_dims, 1, 0, 2) && muster_find_rows(&muster_this_kernel, 0, (const void *)a, muster_span_0.low, muster_span_0.high, &muster_rows_a)) {
// CHECK: {{^}}    const ::muster::Coefficient muster_s1(muster_rows_a.length);
// CHECK: {{^}}        muster_rows_a.data,
// CHECK: {{^}}      muster_loop_12_launched = true;
// CHECK: {{^}}if (!muster_loop_12_launched)
// CHECK-NEXT: #line 12
// CHECK-NEXT: #pragma omp parallel for
// CHECK-NEXT: for (int i = 1; i < n; ++i)
// CHECK-NEXT: for (int j = 0; j < m; ++j) a[i][j] += a[i - 1][m - j - 1];}
