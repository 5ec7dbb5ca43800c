// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All-pairs shortest paths (Floyd and Warshall): each step writes the column that it reads. Its rival is
// bench/rivals/paths_opencl.cpp. Usage: paths [PLACES [STEPS]]; one step more, which is not timed, comes first.
#include <cstdio>

#include "sample.h"

static void step(int* d, int n, int k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
}

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "places", 1024, 4, 40000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 100, 1, n);
#pragma ompx managed(d)
  int* d = new int[(size_t)n * n];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) d[(size_t)i * n + j] = i == j ? 0 : (int)(1 + ((size_t)i * n + j) * 7919 % 1009);
  step(d, n, 0);
  int first = d[n];
  const double start = secondsNow();
  for (int k = 0; k < steps; k++) step(d, n, k);
  first += d[n];
  printTime("paths", secondsNow() - start, steps);
  printf("paths: %d places, %d steps, checksum %016llx\n", n, steps, checksum(d, (size_t)n * n * sizeof(int)));
  delete[] d;
  return first < 0;
}
