// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations cost unequally: rows of the Mandelbrot set, rows of a triangular sparse matrix, and costs over
// four orders of magnitude in any order. Arguments: which one (all), size, steps. A sum of what each step wrote makes
// the host wait for all devices.
#include <cstdlib>
#include <cstring>

#include "report.h"

namespace {

int stepsAt(double x, double y, int most) {
  double re = 0, im = 0;
  int steps = 0;
  while (steps < most && re * re + im * im <= 4) {
    const double next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
    ++steps;
  }
  return steps;
}

// The time of the loop that `step` runs, and of the sum over what it wrote.
template <class Step>
void measure(const char* name, int steps, Step step) {
  uint64_t sum = step();  // kernels are built
  const double start = now();
  for (int s = 0; s < steps; ++s) sum = sum * 31 + step();
  report(name, now() - start, steps, 0, sum);
}

void mandelbrot(int n, int steps) {
#pragma omp managed(points)
  int* points = new int[(size_t)n * n];
  measure("mandelbrot", steps, [=] {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) points[(size_t)i * n + j] = stepsAt(-2.25 + 3.0 * j / n, 1.25 - 2.5 * i / n, 2000);
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += (uint64_t)points[(size_t)i * n + i] * (uint64_t)(i + 1);
    return sum;
  });
  delete[] points;
}

// Row i has i / 16 + 1 elements.
void triangle(int n, int steps) {
#pragma omp managed(starts)
  long* starts = new long[n + 1];
  starts[0] = 0;
  for (int i = 0; i < n; ++i) starts[i + 1] = starts[i] + i / 16 + 1;
#pragma omp managed(columns, values, x, y)
  int* columns = new int[starts[n]];
  double* values = new double[starts[n]];
  double *x = new double[n], *y = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    x[i] = i % 7;
    for (long k = starts[i]; k < starts[i + 1]; ++k) {
      columns[k] = (int)((k * 977) % (i + 1));
      values[k] = (double)(k % 5);
    }
  }
  measure("triangle", steps, [=] {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (long k = starts[i]; k < starts[i + 1]; ++k) sum += values[k] * x[columns[k]];
      y[i] = sum;
    }
    double all = 0;
#pragma omp parallel for reduction(+ : all)
    for (int i = 0; i < n; ++i) all += y[i];
    return (uint64_t)all;
  });
  delete[] starts;
  delete[] columns;
  delete[] values;
  delete[] x;
  delete[] y;
}

void costs(int n, int steps) {
#pragma omp managed(found)
  unsigned* found = new unsigned[n];
  measure("costs", steps, [=] {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i) {
      unsigned value = (unsigned)i * 2654435761u;
      const int count = 200000 >> (value >> 16) % 14;
      for (int s = 0; s < count; ++s) value = value * 1664525u + 1013904223u + (value >> 7);
      found[i] = value;
    }
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += found[i];
    return sum;
  });
  delete[] found;
}

}  // namespace

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "all";
  const int size = argc > 2 ? atoi(argv[2]) : 0, steps = argc > 3 ? atoi(argv[3]) : 5;
  const auto wants = [&](const char* name) { return strcmp(which, "all") == 0 || strcmp(which, name) == 0; };
  if (wants("mandelbrot")) mandelbrot(size > 0 ? size : 2048, steps);
  if (wants("triangle")) triangle(size > 0 ? size : 40000, steps);
  if (wants("costs")) costs(size > 0 ? size : 60000, steps);
  return 0;
}
