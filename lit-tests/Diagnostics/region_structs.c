// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of each thread of a region that a loop does something else with than to add up their members.
//
// RUN: %cc -fsyntax-only %s 2>&1 | %filecheck %s
typedef struct {
  double real, imag;
} dcomplex;
typedef struct {
  int low : 4, high : 4;
} bits;
typedef struct {
  double sum[2];
} pair;
#pragma ompx managed(u, a)
dcomplex u[100];
double a[100];
static dcomplex multiplied(dcomplex x, dcomplex y) {
  return (dcomplex){x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real};
}

void crossed(int n, dcomplex *result) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 'c', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    dcomplex c = {0, 0};
#pragma omp for
    for (int i = 0; i < n; i++) {
      c.real += a[i];
      c.imag += c.real;
    }
#pragma omp critical
    result->imag += c.imag;
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 'c', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    dcomplex c = {1, 0};
#pragma omp for
    for (int i = 0; i < n; i++) c = multiplied(c, u[i]);
#pragma omp critical
    *result = multiplied(*result, c);
  }
}

void mixed(int n, dcomplex *result) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 'c', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    dcomplex c = {0, 0};
#pragma omp for
    for (int i = 0; i < n; i++) {
      c.real += a[i];
      c.real *= 2;
    }
#pragma omp critical
    result->real += c.real;
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 'c', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    dcomplex c = {0, 0};
#pragma omp for
    for (int i = 0; i < n; i++) {
      c.real += a[i];
      if (c.real > 10) c.imag += 1;
    }
#pragma omp critical
    result->real += c.real;
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 'c', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    dcomplex c = {0, 0};
#pragma omp for
    for (int i = 0; i < n; i++) c = (dcomplex){c.imag + a[i], c.real + a[i]};
#pragma omp critical
    result->real += c.real;
  }
}

void members(int n, bits *result, pair *two) {
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 'c', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    bits c = {0, 0};
#pragma omp for
    for (int i = 0; i < n; i++) c.low += a[i] > 3;
#pragma omp critical
    result->low += c.low;
  }
  // CHECK-DAG: :[[#@LINE+1]]:1: remark: region stays plain OpenMP on rank 0: gives 'c', of which each thread has its own, from one iteration to the next
#pragma omp parallel
  {
    pair c = {{0, 0}};
#pragma omp for
    for (int i = 0; i < n; i++) c.sum[i % 2] += a[i];
#pragma omp critical
    two->sum[0] += c.sum[0];
  }
}
