// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch overhead: a loop of a few cheap iterations, many times; argument: launches.
#include <cstdlib>

#include "report.h"

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 100000;
  const int n = 64;
#pragma omp managed(a)
  int* a = new int[n]();
  double start = 0;
  for (int launch = -1000; launch < launches; ++launch) {
    if (launch == 0) start = now();
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += i;
  }
  volatile int last = a[n / 2];
  (void)last;
  const double seconds = now() - start;
  report("empty", seconds, launches, 0, checksum(a, n * sizeof(int)));
  delete[] a;
  return 0;
}
