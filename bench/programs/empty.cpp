// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch overhead: a loop of a few cheap iterations, many times, each of which needs what the one before it wrote in
// other iterations, so that no two of them are one; argument: launches.
#include <cstdlib>

#include "report.h"

static void step(unsigned* a, const unsigned* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += b[n - 1 - i] + i;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 100000;
  const int n = 64;
#pragma omp managed(a, b)
  unsigned *a = new unsigned[n](), *b = new unsigned[n]();
  double start = 0;
  for (int launch = -1000; launch < launches; launch += 2) {
    if (launch == 0) start = now();
    step(a, b, n);
    step(b, a, n);
  }
  volatile unsigned last = a[n / 2];
  (void)last;
  const double seconds = now() - start;
  report("empty", seconds, launches, 0, checksum(a, n * sizeof(unsigned)));
  delete[] a;
  delete[] b;
  return 0;
}
