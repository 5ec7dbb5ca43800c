// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All iterations add to a few elements, atomically; arguments: iterations, elements, steps.
#include <cstdlib>

#include "report.h"

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000000;
  const int hot = argc > 2 ? atoi(argv[2]) : 4;
  const int steps = argc > 3 ? atoi(argv[3]) : 10;
#pragma omp managed(sums)
  long* sums = new long[hot]();
  double start = 0;
  for (int step = -1; step < steps; ++step) {
    if (step == 0) start = now();
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const unsigned value = (unsigned)i * 2654435761u >> 7;
#pragma omp atomic
      sums[value % (unsigned)hot] += value % 1000;
    }
  }
  const double seconds = now() - start;
  report("hot-atomics", seconds, steps, 0, checksum(sums, (size_t)hot * sizeof(long)));
  delete[] sums;
  return 0;
}
