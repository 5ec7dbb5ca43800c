// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi iteration for the heat equation on a plate: flattened 2-D arrays with run-time sizes, a swap of pointers
// after each step, a reduction for the residual, and host code before, between and after the loops.
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

// A checksum that changes with any bit of the result (FNV-1a over the words).
uint64_t checksum(const double* u, size_t count) {
  uint64_t hash = 14695981039346656037ull;
  for (size_t i = 0; i < count; ++i) {
    uint64_t word;
    memcpy(&word, &u[i], sizeof word);
    hash = (hash ^ word) * 1099511628211ull;
  }
  return hash;
}

double residual(const double* u, const double* v, int n, int m) {
  double largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      const double change = fabs(u[i * m + j] - v[i * m + j]);
      if (change > largest) largest = change;
    }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 2000;
  const int m = argc > 2 ? atoi(argv[2]) : 2000;
  const int steps = argc > 3 ? atoi(argv[3]) : 100;
  if (n < 3 || m < 3 || steps < 1 || (int64_t)n * m > INT32_MAX) {
    fprintf(stderr, "usage: %s [ROWS COLUMNS STEPS]: at least 3 x 3, at most 2^31 - 1 points, 1 step or more\n",
            argv[0]);
    return 2;
  }

#pragma omp alloc_start
#pragma omp managed(u)
  double* u = new double[(size_t)n * m];
#pragma omp managed(v)
  double* v = new double[(size_t)n * m];
#pragma omp alloc_end

  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) u[i * m + j] = v[i * m + j] = i == 0 ? 100.0 : j == 0 ? 50.0 + i % 7 : 0.0;

  const double start = omp_get_wtime();
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j)
        v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    std::swap(u, v);
  }
  const double left = residual(u, v, n, m);
  const double seconds = omp_get_wtime() - start;

  printf("jacobi: %d x %d, %d steps, residual %.17g, checksum %016llx\n", n, m, steps, left,
         (unsigned long long)checksum(u, (size_t)n * m));
  fprintf(stderr, "jacobi: %.3f ms per step\n", seconds / steps * 1e3);
  delete[] u;
  delete[] v;
  return 0;
}
