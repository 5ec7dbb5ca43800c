// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step 1 of the tutorial: one array and one parallel loop.
#include <cmath>
#include <cstdio>

int main() {
  const int n = 1000000;
#pragma ompx managed(a)
  double* a = new double[n];

#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = std::sqrt(0.5 * i);

  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  printf("a[%d] = %.8f, sum = %.8f\n", n - 1, a[n - 1], sum);
  delete[] a;
}
