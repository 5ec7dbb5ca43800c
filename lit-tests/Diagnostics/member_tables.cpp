// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of pointers that are members, with an index that iterations choose: what is served (no remark), and what is not.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
#include <utility>

struct State {
  int n;
  double *u[3];
  double *many[9];
};

void f(State *s, double *p, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) s->u[k][i] = p[i];
  // CHECK: :[[@LINE+1]]:1: remark: loop 'muster_f_{{[0-9]+}}' runs on CPUs only: chooses one of several arrays by an index that changes something
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3;) s->u[k++][i] = p[i];
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 's->u[i % 3]', one of several pointers, for something else than elements of its array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) s->u[i % 3] = p;
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 's->u[i % 2]', one of several pointers, for something else than elements of its array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) std::swap(s->u[i % 2], s->u[2]);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 's->u[i % 2]', one of several pointers, for something else than elements of its array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *&u = s->u[i % 2];
    u[i] = 1;
  }
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 's->many', a table of rows that is a member; a local variable can hold it before the loop
#pragma omp parallel for
  for (int i = 0; i < n; ++i) s->many[i % 9][0] = 1;
  // CHECK: note: here
}
