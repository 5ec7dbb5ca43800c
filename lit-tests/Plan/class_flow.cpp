// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class of an array comes from the loops that it reaches: arrays that share a function's parameter do not share a
// class, those that are swapped do.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=plan %s | FileCheck %s
#include <cstdio>
#include <utility>

// CHECK: array rows: partitioned, {{.*}} as p[i] does with 'i'
// CHECK: array gathered: replicated, {{.*}} the index of 'gathered[index[i]]' is not an affine form
// CHECK: array index: partitioned
// CHECK: array left: replicated, {{.*}} reads right[0], which does not follow 'i'
// CHECK: array right: replicated, {{.*}} reads right[0], which does not follow 'i'
// CHECK: array counts: replicated, {{.*}} updates counts[(i % 7)], which does not follow 'i'
static double sum(const double *p, int n) {
  double result = 0;
#pragma omp parallel for reduction(+ : result)
  for (int i = 0; i < n; i++) result += p[i];
  return result;
}

int main() {
  const int n = 100;
#pragma omp managed(rows, gathered)
  double *rows = new double[n](), *gathered = new double[n]();
#pragma omp managed(index)
  int *index = new int[n]();
#pragma omp parallel for
  for (int i = 0; i < n; i++) rows[i] += gathered[index[i]];
  std::printf("%g %g\n", sum(rows, n), sum(gathered, n));
#pragma omp managed(left, right)
  float *left = new float[n](), *right = new float[n]();
#pragma omp parallel for
  for (int i = 1; i < n; i++) left[i] = right[0];
  std::swap(left, right);
#pragma omp managed(counts)
  int *counts = new int[n]();
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    counts[i % 7]++;
  }
}
