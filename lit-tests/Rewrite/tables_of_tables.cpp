// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over a table of tables, and its allocation at all levels.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=facts %s 2>&1 | FileCheck --check-prefix=FACTS %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>&1 | FileCheck %s
#include <cstdlib>
struct Grid {
  double ***u;
};
void f(int n, int m, int l, const int *which, Grid *g) {
#pragma omp managed(a)
  double ***a = new double **[n];
  for (int i = 0; i < n; ++i) {
    a[i] = (double **)malloc(m * sizeof(double *));
    for (int j = 0; j < m; ++j) a[i][j] = new double[l];
  }
  // CHECK: {{^}}  double ***a = static_cast<double ***>(muster_table_create(nullptr, n));
  // CHECK: a[i] = (double **)muster_table_malloc((void *)&(a[i]), m * sizeof(double *));
  // CHECK: a[i][j] = static_cast<double *>(muster_row_new(&muster_site_a_11, (void *)&(a[i][j]), l));
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < l; ++k) a[i][1][k] += (*a)[which[i]][k] * g->u[i - 1][2][k];
  // FACTS: loop 19 in f
  // FACTS: array a: rows of double[0][0] read written
  // FACTS: row i of a
  // FACTS: row 1 in level 1 of a
  // FACTS: any row in level 1 of a
  // CHECK: typedef double muster_row_a[*(const int64_t *)muster_c->scalars[{{[0-9]}}]][*(const int64_t *)muster_c->scalars[{{[0-9]}}]];
  // Planes of one table are places for rows of the outer one; planes in one block have no place.
#pragma omp managed(b)
  float ***b = (float ***)malloc(n * sizeof *b);
  *b = (float **)malloc(n * m * sizeof **b);
  for (int i = 0; i < n; ++i) b[i][0] = (float *)malloc(m * l * sizeof(float));
  // CHECK: *b = (float **)muster_table_malloc(nullptr, n * m * sizeof **b);
  // CHECK: b[i][0] = (float *)muster_row_malloc(&muster_site_b_{{[0-9]+}}, (void *)&(b[i]), m * l * sizeof(float));
}
