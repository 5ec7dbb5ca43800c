// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step 2 of the tutorial, mended: the second loop counts by a reduction.
#include <cstdio>
#include <vector>

int main() {
  const int n = 100000;
#pragma ompx managed(height)
  std::vector<double> height(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) height[i] = (i * 37 % 1000) * 0.1;

  int peaks = 0;
#pragma omp parallel for reduction(+ : peaks)
  for (int i = 0; i < n; ++i)
    if (height[i] > 99.0) ++peaks;
  printf("%d of %d points are above 99\n", peaks, n);
}
