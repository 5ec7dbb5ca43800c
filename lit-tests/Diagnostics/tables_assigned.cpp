// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of tables that a loop assigns: only pointers into arrays, and nothing else is done with the table.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
struct Grid {
  double data[64];
  double **rows;
};
static void put(double **a, int i, double *p) { a[i] = p; }

void f(double **a, double **b, double *data, Grid *g, double ***deep, int n) {
  // CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: stores addresses of elements, which are those of rank 0
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = data + i * 8;
  // CHECK: remark: loop 'muster_f_{{.*}}' runs on CPUs only: stores addresses of elements, which are those of rank 0
#pragma omp parallel for
  for (int i = 0; i < n; ++i) (*deep)[i] = data + i * 8;
  // CHECK: :[[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to 'a[i]', the pointer of a table to one of its rows, something else than a pointer into an array that has a name
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = g->data + i;
  // CHECK: :[[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to 'a[i]', the pointer of a table to one of its rows, something else than a pointer into an array that has a name
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = b[i];
  // CHECK: :[[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to 'a[i]', the pointer of a table to one of its rows, something else than a pointer into an array that has a name
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = nullptr;
  // CHECK: :[[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to entries of 'a', a table of rows, and uses it for something else, too; do that in a loop of its own
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = data + i, a[i][0] = 1;
  // CHECK: :[[# @LINE + 1]]:1: remark: loop stays plain OpenMP on rank 0: reads 'a[i]', an entry of a table whose entries it assigns; do that in a loop of its own
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = data, a[i] += i;
  // CHECK: remark: loop stays plain OpenMP on rank 0: assigns to '{{.*}}', the pointer of a table to one of its rows
#pragma omp parallel for
  for (int i = 0; i < n; ++i) put(a, i, data + i);
  // CHECK: remark: loop stays plain OpenMP on rank 0: assigns to the shared pointer '*deep'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) *deep = b, (*deep)[i] = data + i;
}
