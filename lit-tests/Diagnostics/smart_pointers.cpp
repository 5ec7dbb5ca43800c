// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Smart pointers to arrays: what is served (no remark), and what steps back.
// RUN: %muster++ -fsyntax-only %s 2>&1 | %filecheck %s
#include <memory>
#include <utility>

void take(std::unique_ptr<double[]> p);
static double &first(std::unique_ptr<double[]> &p) { return p[0]; }
static void drop(std::unique_ptr<double[]> &p) { p.reset(); }

void f(std::unique_ptr<double[]> p, std::unique_ptr<double[]> &q, std::unique_ptr<double[]> *several,
       std::unique_ptr<double> single, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = q[i];
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator*' of a smart pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = *single;
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'reset' of a smart pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = 1, q.reset();
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'reset' of a smart pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = 1, drop(q);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: assigns to the shared pointer 'p.get()'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p[i] = 1, std::swap(p, q);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator=' of a smart pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) p = std::move(q);
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: calls 'operator bool' of a smart pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (p) p[i] = 1;
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: uses 'several', whose elements of type 'std::unique_ptr<double[]>' cannot be copied byte by byte
#pragma omp parallel for
  for (int i = 0; i < n; ++i) several[i][0] = 1;
  // CHECK: note: here
  // CHECK: :[[@LINE+1]]:1: remark: loop stays plain OpenMP on rank 0: declares 'own' of type 'std::unique_ptr<double[]>'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::unique_ptr<double[]> own(new double[4]);
    p[i] = own[0];
  }
  // CHECK: note: here
#pragma omp parallel for
  for (int i = 0; i < n; ++i) first(q) += i;
}
