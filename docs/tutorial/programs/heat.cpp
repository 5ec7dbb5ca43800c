// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps 3 to 6 of the tutorial: heat spreads over a plate, in explicit steps.
#include <cstdio>
#include <cstdlib>
#include <utility>

int main(int argc, char** argv) {
  const int n = 600, m = 400;
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
#pragma ompx managed(u)
  double* u = new double[n * m]();
#pragma ompx managed(next)
  double* next = new double[n * m]();
  for (int j = 0; j < m; ++j) u[j] = next[j] = 100.0;  // the upper edge is hot

  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j)
        next[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    std::swap(u, next);
  }

  double sum = 0;
  for (int k = 0; k < n * m; ++k) sum += u[k];
  printf("after %d steps: mean %.12f\n", steps, sum / (n * m));
  delete[] u;
  delete[] next;
}
