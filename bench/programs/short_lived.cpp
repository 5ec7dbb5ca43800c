// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that live for one loop; arguments: how (new, vector, push, table, many), elements, steps.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "report.h"

namespace {

double withNew(int n, int step) {
#pragma omp managed(a)
  double* a = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = step * 0.5;
  const double value = a[n / 2];
  delete[] a;
  return value;
}

double withVector(int n, int step) {
#pragma omp managed(a)
  std::vector<double> a(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += step;
  return a[n / 2];
}

double withPush(int n, int step) {
#pragma omp managed(a)
  std::vector<double> a;
  for (int i = 0; i < n; ++i) a.push_back(i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += step;
  return a[n / 2];
}

double withTable(int n, int step) {
  const int rows = 16;
#pragma omp managed(a)
  double** a = new double*[rows];
  for (int i = 0; i < rows; ++i) a[i] = new double[n];
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = i + j + step;
  const double value = a[rows / 2][n / 2];
  for (int i = 0; i < rows; ++i) delete[] a[i];
  delete[] a;
  return value;
}

struct Cell {
  double* values;
};

// 1,000 small ones at a time.
double withMany(int n, int step) {
  std::vector<Cell> cells(1000);
  for (auto& cell : cells) {
#pragma omp managed(cell.values)
    cell.values = new double[n];
  }
  double value = 0;
  for (auto& cell : cells) {
    double* values = cell.values;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) values[i] = step * 0.5;
    value += values[n / 2];
  }
  for (auto& cell : cells) delete[] cell.values;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "new";
  const int n = argc > 2 ? atoi(argv[2]) : 1000;
  const int steps = argc > 3 ? atoi(argv[3]) : 1000;
  double (*const work)(int, int) = strcmp(how, "vector") == 0  ? withVector
                                   : strcmp(how, "push") == 0  ? withPush
                                   : strcmp(how, "table") == 0 ? withTable
                                   : strcmp(how, "many") == 0  ? withMany
                                                               : withNew;
  double sum = 0, start = 0;
  for (int step = -steps / 10; step < steps; ++step) {
    if (step == 0) start = now();
    sum += work(n, step);
  }
  report(how, now() - start, steps, 0, checksum(&sum, sizeof sum));
  return 0;
}
