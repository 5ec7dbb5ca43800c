// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts m values in n bins by atomic updates: arguments n, m, steps. Several devices have partial counts, which are
// put together after each step.
#include <cstdlib>

#include "report.h"

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1 << 20, m = argc > 2 ? atol(argv[2]) : 1 << 26;
  const int steps = argc > 3 ? atoi(argv[3]) : 10;
#pragma omp managed(bins)
  int* bins = new int[n]();
#pragma omp managed(values)
  int* values = new int[m];
  for (long i = 0; i < m; ++i) values[i] = (int)((i * 48271 + i / 7) % n);

  double start = 0;
  const int warm = 4;  // kernels' forms are tried meanwhile
  for (int step = -warm; step < steps; ++step) {
    if (step == 0) start = now() + 0 * bins[0];  // the host waits for the steps before
#pragma omp parallel for
    for (long i = 0; i < m; ++i) {
#pragma omp atomic
      bins[values[i]] += 1;
    }
  }
  const int edge = bins[n / 2];  // and for the last one
  const double seconds = now() - start;
  uint64_t sum = checksum(bins, (size_t)n * sizeof(int));
  sum ^= checksum(&edge, sizeof edge);
  report("accumulate", seconds, steps, (double)m * sizeof(int), sum);
  delete[] bins;
  delete[] values;
  return 0;
}
