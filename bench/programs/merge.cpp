// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scattered writes to an array of n doubles, of which every rank needs all: arguments n, steps. Each step changes half
// of the elements, in an order without a pattern that a compiler could see; bench/rivals/merge_mpi.cpp does the same by
// hand.
#include <cstdlib>

#include "report.h"

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 4000000;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  const long half = n / 2;

#pragma omp managed(a)
  double* a = new double[n];
#pragma omp managed(index)
  int* index = new int[n];
  for (long i = 0; i < n; ++i) {
    a[i] = (double)i;
    index[i] = (int)(i * 48271 % n);  // 48271 is prime: all different unless it divides n
  }

  double start = 0;
  const int warm = 2;
  for (int step = -warm; step < steps; ++step) {
    if (step == 0) start = now();
    const long first = step % 2 == 0 ? 0 : half;
#pragma omp parallel for
    for (long i = 0; i < half; ++i) a[index[first + i]] = (double)(i + step) * 0.5;
  }
  const double edge = a[n / 2];  // the host waits for the last step
  const double seconds = now() - start;
  uint64_t sum = checksum(a, (size_t)n * sizeof(double));
  sum ^= checksum(&edge, sizeof edge);
  report("merge", seconds, steps, (double)half * sizeof(double), sum);
  delete[] a;
  delete[] index;
  return 0;
}
