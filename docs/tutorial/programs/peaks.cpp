// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step 2 of the tutorial: its second loop collects values in a list, so that it is not taken.
#include <cstdio>
#include <vector>

int main() {
  const int n = 100000;
#pragma ompx managed(height)
  std::vector<double> height(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) height[i] = (i * 37 % 1000) * 0.1;

  std::vector<double> peaks;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (height[i] > 99.0) {
#pragma omp critical
      peaks.push_back(height[i]);
    }
  }
  printf("%zu of %d points are above 99\n", peaks.size(), n);
}
