// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 5-point Jacobi, n x n, of REAL (default float); arguments: n, steps, host (1: host code between the launches).
#include <cstdlib>
#include <utility>

#include "report.h"

#ifndef REAL
#define REAL float
#endif

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4096;
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  const bool host = argc > 3 && atoi(argv[3]) != 0;
  const size_t count = (size_t)n * n;

#pragma omp alloc_start
#pragma omp managed(u)
  REAL* u = new REAL[count];
#pragma omp managed(v)
  REAL* v = new REAL[count];
#pragma omp alloc_end

  // First touch in parallel, as a careful OpenMP program does.
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const REAL value = (REAL)((i * 31 + j * 17) % 1000) / (REAL)1000;
      u[(size_t)i * n + j] = value;
      v[(size_t)i * n + j] = value;
    }

  double edge = 0;
  double start = 0;
  const int warm = 3;
  for (int step = -warm; step < steps; ++step) {
    if (step == 0) start = now();
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        v[(size_t)i * n + j] = (REAL)0.25 * (u[(size_t)(i - 1) * n + j] + u[(size_t)(i + 1) * n + j] +
                                             u[(size_t)i * n + j - 1] + u[(size_t)i * n + j + 1]);
    std::swap(u, v);
    if (host && step % 10 == 9)
      for (int j = 0; j < n; ++j) edge += u[(size_t)(n / 2) * n + j];
  }
  // One element makes the host wait for the last step, wherever it ran.
  edge += u[count / 2 + n / 2];
  const double seconds = now() - start;
  uint64_t sum = checksum(u, count * sizeof(REAL));
  sum ^= checksum(&edge, sizeof edge);
  report("jacobi", seconds, steps, 2.0 * sizeof(REAL) * (double)count, sum);
  delete[] u;
  delete[] v;
  return 0;
}
