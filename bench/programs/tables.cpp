// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Five-point stencil over rows of their own; arguments: how (rows: T **, vectors: vector of vectors), n, steps.
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "report.h"

namespace {

double at(int i, int j) { return (i * 31 + j * 7) % 101 * 0.25; }

// Returns the seconds that the steps took.
template <class Table>
double stencil(Table& a, Table& b, int n, int steps) {
  double start = 0;
  for (int step = -2; step < steps; ++step) {
    if (step == 0) start = now();
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    std::swap(a, b);
  }
  return now() - start;
}

uint64_t rows(int n, int steps, double& seconds) {
#pragma omp managed(a)
  double** a = new double*[n];
#pragma omp managed(b)
  double** b = new double*[n];
  for (int i = 0; i < n; ++i) {
    a[i] = new double[n];
    b[i] = new double[n];
    for (int j = 0; j < n; ++j) a[i][j] = b[i][j] = at(i, j);
  }
  seconds = stencil(a, b, n, steps);
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 3 + checksum(a[i], n * sizeof(double));
  for (int i = 0; i < n; ++i) {
    delete[] a[i];
    delete[] b[i];
  }
  delete[] a;
  delete[] b;
  return sum;
}

uint64_t vectors(int n, int steps, double& seconds) {
#pragma omp managed(a)
  std::vector<std::vector<double>> a(n, std::vector<double>(n));
#pragma omp managed(b)
  std::vector<std::vector<double>> b(n, std::vector<double>(n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = b[i][j] = at(i, j);
  seconds = stencil(a, b, n, steps);
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 3 + checksum(a[i].data(), n * sizeof(double));
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const bool isVectors = argc > 1 && strcmp(argv[1], "vectors") == 0;
  const int n = argc > 2 ? atoi(argv[2]) : 1000;
  const int steps = argc > 3 ? atoi(argv[3]) : 100;
  double seconds = 0;
  const uint64_t sum = isVectors ? vectors(n, steps, seconds) : rows(n, steps, seconds);
  report(isVectors ? "vectors" : "rows", seconds, steps, 2.0 * n * n * sizeof(double), sum);
  return 0;
}
