// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests that compile it ahead or include it by an option.
#pragma once
#include <cstdio>
#include <vector>
inline double last(int n) {
#pragma omp managed(w)
  double *w = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) w[i] = i;
  const double result = w[n - 1];
  delete[] w;
  return result;
}
