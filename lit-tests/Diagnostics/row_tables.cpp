// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of rows: what is served (no remark), and what steps back.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
// Tables whose pointers are values run where there are pointers.
// CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: uses a pointer to a pointer
// CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: uses 'a', a table of rows, for something else than its rows
// CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: uses a pointer to a pointer
// CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: uses 'g->u', a table of rows, for something else than its rows
// CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: uses 'a', a table of rows, for something else than its rows
// CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: uses 'a', a table of rows, for something else than its rows
#include <utility>

struct Grid {
  double **u;
  int n;
  double *lines[8];
};
void fill(double *row, int m) { row[0] = m; }
static double corner(double **a) { return a[0][0]; }
static double below(double **a) { return corner(a + 1); }
static bool isThere(double **a) { return a != nullptr; }
static double next(double **a) {
  ++a;
  return a[0][0];
}
static double **others;
static double ofOthers(int i) { return others[i][0]; }

void f(double **a, double *b[], int *idx, Grid *g, float *****deep, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) fill(a[i], m), b[i][0] = (*a)[i] + corner(a) + corner(g->u);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) g->u[i][0] = others[i][0];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = a[idx[i]][0];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = below(a);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = isThere(a);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = a[i][0] + next(a);
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'ofOthers', which uses the global 'others'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = ofOthers(i);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to 'a[i]', the pointer of a table to one of its rows
#pragma omp parallel for
  for (int i = 0; i < n; ++i) std::swap(a[i], b[i]);
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to 'b[i]', the pointer of a table to one of its rows
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = a[i];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) g->u[i][0] = g->u != nullptr;
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'g->lines', a table of rows that is a member; a local variable can hold it before the loop
#pragma omp parallel for
  for (int i = 0; i < 8; ++i) g->lines[i][0] = i;
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'deep', whose elements of type 'float ****' are pointers
#pragma omp parallel for
  for (int i = 0; i < n; ++i) deep[i][0][0][0][0] = i;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = (i % 2 ? a[i] : b[i + 1])[1];
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to '(i % 2 ? a[i] : a[i + 1])', the pointer of a table to one of its rows
#pragma omp parallel for
  for (int i = 0; i < n; ++i) (i % 2 ? a[i] : a[i + 1]) = b[i];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *&row = i % 2 ? a[i] : a[i + 1];
    row[0] = i;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = (i % 2 ? a : b)[i][1];
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'rows[i % 2][0]' through a pointer that the analysis cannot follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *rows[2] = {a[i], a[i + 1]};
    b[i][0] = rows[i % 2][0];
  }
#pragma omp parallel for firstprivate(a)
  for (int i = 0; i < n; ++i) a[i][0] = i;
}

static double corner(double ***a) { return a[0][0][0]; }
static double plane(double **p) { return p[0][0]; }

// Tables of tables: whole tables are not values of the loop, nor are their entries changed.
void g(double ***a, double **b, double *volatile **c, double **d[4], int *idx, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = corner(a) + (*a)[i][1] + *a[i][2] + a[idx[i]][0][idx[i]];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double *row = a[i][1];
    b[i][0] = row[1];
  }
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}'a'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = plane(a[i]);
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'a', a table of rows, for something else than elements of its rows
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double **p = a[i];
    b[i][0] = p[0][0];
  }
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}'a'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = b;
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}'a'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i][0] = b[i];
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}'a'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i][0] = a[i] != nullptr;
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}'c'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) c[i][0][0] = i;
  // CHECK: :[[@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: {{.*}}'local'
  double **local[4] = {d[0], d[1], d[2], d[3]};
#pragma omp parallel for
  for (int i = 0; i < 4; ++i) local[i][0][0] = i;
}
