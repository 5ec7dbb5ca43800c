// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients for a sparse, symmetric, positive definite system in CSR form: the Laplacian of an n x n grid
// with some long-distance couplings, so that the columns are not a simple pattern. Arguments: n, iterations.
#include <cmath>
#include <vector>

#include "sample.h"

namespace {

struct Csr {
  std::vector<int> first, column;
  std::vector<double> value;
};

// Row (i, j) couples with its four neighbours and with its mirror image across the grid's centre.
Csr laplacian(int n) {
  Csr matrix;
  matrix.first.push_back(0);
  const auto entry = [&matrix](int column, double value) {
    matrix.column.push_back(column);
    matrix.value.push_back(value);
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int row = i * n + j, mirror = n * n - 1 - row;
      entry(row, 4.5 + (row % 3) * 0.25);
      if (i > 0) entry(row - n, -1);
      if (i < n - 1) entry(row + n, -1);
      if (j > 0) entry(row - 1, -1);
      if (j < n - 1) entry(row + 1, -1);
      if (mirror != row) entry(mirror, -0.25);
      matrix.first.push_back((int)matrix.column.size());
    }
  return matrix;
}

void multiply(const int* first, const int* column, const double* value, const double* p, double* q, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; ++k) sum += value[k] * p[column[k]];
    q[i] = sum;
  }
}

double dot(const double* a, const double* b, int rows) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows; ++i) sum += a[i] * b[i];
  return sum;
}

// target += factor * source
void addScaled(double* target, double factor, const double* source, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) target[i] += factor * source[i];
}

// p = r + factor * p
void newDirection(double* p, const double* r, double factor, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) p[i] = r[i] + factor * p[i];
}

}  // namespace

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "the grid's side", 100, 2, 15000);
  const int iterations = (int)numberArgument(argc, argv, 2, "iterations", 20, 1, 1000000);
  const int rows = n * n;
  const Csr matrix = laplacian(n);
  const size_t entries = matrix.column.size();

#pragma omp alloc_start
#pragma omp managed(first, column)
  int *first = new int[rows + 1], *column = new int[entries];
#pragma omp managed(value)
  double* value = new double[entries];
#pragma omp managed(x, r, p, q)
  double *x = new double[rows], *r = new double[rows], *p = new double[rows], *q = new double[rows];
#pragma omp alloc_end

  memcpy(first, matrix.first.data(), (rows + 1) * sizeof *first);
  memcpy(column, matrix.column.data(), entries * sizeof *column);
  memcpy(value, matrix.value.data(), entries * sizeof *value);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    x[i] = 0;
    r[i] = p[i] = 1.0 + (i % 10) * 0.1;
  }

  multiply(first, column, value, p, q, rows);  // not timed: kernels are built, arrays are spread
  double rr = dot(r, r, rows);
  const double rr0 = rr;
  const double start = secondsNow();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    multiply(first, column, value, p, q, rows);
    const double alpha = rr / dot(p, q, rows);
    addScaled(x, alpha, p, rows);
    addScaled(r, -alpha, q, rows);
    const double next = dot(r, r, rows);
    newDirection(p, r, next / rr, rows);
    rr = next;
  }
  printTime("cg", secondsNow() - start, iterations);

  // The true residual, computed anew on the host: it must agree with the one that the recurrence carries along.
  double largest = 0, norm = 0;
  for (int i = 0; i < rows; ++i) {
    double residual = 1.0 + (i % 10) * 0.1;
    for (int k = first[i]; k < first[i + 1]; ++k) residual -= value[k] * x[column[k]];
    largest = fmax(largest, fabs(residual - r[i]));
    norm += x[i] * x[i];
  }
  const bool consistent = largest < 1e-9;
  printf("cg: %d rows, %zu entries, %d iterations, residual %.6e of the first, norm of x %.10g, %s\n", rows, entries,
         iterations, sqrt(rr / rr0), sqrt(norm), consistent ? "residuals agree" : "RESIDUALS DIFFER");
  delete[] first;
  delete[] column;
  delete[] value;
  for (double* vector : {x, r, p, q}) delete[] vector;
  return consistent ? 0 : 1;
}
