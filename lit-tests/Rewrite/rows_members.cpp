// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native code that reads pointers to rows has a table of its own: for members, and for tables that functions get.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=facts %s 2>&1 | FileCheck --check-prefix=FACTS %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=kernels %s 2>&1 | FileCheck --check-prefix=KERNEL %s
struct Grid {
  float **u;
  int n, m;
};
static float both(float **a, int i) {
  ++i;
  return a[i - 1][0] + a[i][0];
}
void f(Grid *g, float **b) {
#pragma omp parallel for
  for (int i = 0; i < g->n; ++i)
    for (int j = 0; j < g->m; ++j) g->u[i][j] += both(b, i);
}
// FACTS: array g->u: rows of float[0] read written
// FACTS: array b: rows of float[0] read
// FACTS: row i + 1 of b
// FACTS-NEXT: row i of g->u
// CHECK: float **b = (float **)muster_row_pointers(muster_c->arrays[{{[01]}}], *(const int64_t *)muster_c->scalars[{{[0-9]}}] * 4, *(const int64_t *)muster_c->scalars[{{[0-9]}}], *(const int64_t *)muster_c->scalars[{{[0-9]}}]);
// CHECK: #pragma omp parallel for firstprivate({{.*}}, b
// CHECK: muster_row_pointers_end((void *)b, *(const int64_t *)muster_c->scalars[{{[0-9]}}]);
// CHECK: muster_find_rows(&muster_this_kernel, {{[01]}}, (const void *)(g ? g->u : nullptr), muster_span_{{[01]}}.low
// CHECK: const int64_t muster_first_b = muster_rows_b.first;
// KERNEL: static float both(int i_2, __global float *b_2, long my_muster_length_b_0_2)
