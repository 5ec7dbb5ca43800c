// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module;
#include <cstddef>
export module unit;
export double sum(int n) {
#pragma omp managed(u)
  double *u = new double[n];
  double total = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = 2.0 * i;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i) total += u[i];
  delete[] u;
  return total;
}
