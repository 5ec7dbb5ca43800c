// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients for a sparse system, as an MPI program: each rank has some rows of the matrix and of the vectors.
// A product needs elements of the vector that other ranks have. Which ones is found once; in each step they are packed
// by a loop and exchanged by MPI_Neighbor_alltoallv. Arguments: n (the system has n x n rows), iterations.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sample.h"

namespace {

int rank = 0, size = 1;

int firstRow(int r, int rows) { return (int)((long)r * rows / size); }

struct Csr {
  std::vector<int> first{0}, column;  // columns: by the whole system's numbers
  std::vector<double> value;
};

// Rows [lo, hi) of a grid's Laplacian in which each point also couples with its mirror image.
Csr laplacian(int n, int lo, int hi) {
  Csr matrix;
  const auto entry = [&matrix](int column, double value) {
    matrix.column.push_back(column);
    matrix.value.push_back(value);
  };
  for (int row = lo; row < hi; ++row) {
    const int i = row / n, j = row % n, mirror = n * n - 1 - row;
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

// What each rank wants of the others, and gives to them.
struct Exchange {
  std::vector<int> wants, wantCounts, wantPlaces;  // numbers in the whole system, by the rank that has them
  std::vector<int> gives, giveCounts, givePlaces;  // numbers among the own rows
  MPI_Comm all = MPI_COMM_NULL;
};

std::vector<int> placesOf(const std::vector<int>& counts) {
  std::vector<int> places(counts.size());
  for (size_t i = 1; i < counts.size(); ++i) places[i] = places[i - 1] + counts[i - 1];
  return places;
}

Exchange planExchange(const Csr& matrix, int rows, int lo, int hi) {
  Exchange plan;
  for (const int column : matrix.column)
    if (column < lo || column >= hi) plan.wants.push_back(column);
  std::sort(plan.wants.begin(), plan.wants.end());
  plan.wants.erase(std::unique(plan.wants.begin(), plan.wants.end()), plan.wants.end());
  plan.wantCounts.resize(size);
  for (const int column : plan.wants) {
    int owner = 0;
    while (firstRow(owner + 1, rows) <= column) ++owner;
    ++plan.wantCounts[owner];
  }
  plan.wantPlaces = placesOf(plan.wantCounts);
  plan.giveCounts.resize(size);
  MPI_Alltoall(plan.wantCounts.data(), 1, MPI_INT, plan.giveCounts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  plan.givePlaces = placesOf(plan.giveCounts);
  plan.gives.resize(plan.givePlaces.back() + plan.giveCounts.back());
  MPI_Alltoallv(plan.wants.data(), plan.wantCounts.data(), plan.wantPlaces.data(), MPI_INT, plan.gives.data(),
                plan.giveCounts.data(), plan.givePlaces.data(), MPI_INT, MPI_COMM_WORLD);
  for (int& row : plan.gives) row -= lo;
  std::vector<int> others(size);
  for (int r = 0; r < size; ++r) others[r] = r;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, others.data(), MPI_UNWEIGHTED, size, others.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &plan.all);
  return plan;
}

void pack(double* packed, const double* p, const int* gives, int count) {
#pragma omp parallel for
  for (int k = 0; k < count; ++k) packed[k] = p[gives[k]];
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
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

void addScaled(double* target, double factor, const double* source, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) target[i] += factor * source[i];
}

void newDirection(double* p, const double* r, double factor, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) p[i] = r[i] + factor * p[i];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = (int)numberArgument(argc, argv, 1, "the grid's side", 100, 2, 15000);
  const int iterations = (int)numberArgument(argc, argv, 2, "iterations", 20, 1, 1000000);
  const int all = n * n, lo = firstRow(rank, all), rows = firstRow(rank + 1, all) - lo;
  const Csr matrix = laplacian(n, lo, lo + rows);
  Exchange plan = planExchange(matrix, all, lo, lo + rows);
  const size_t entries = matrix.column.size();
  const int given = (int)plan.gives.size(), wanted = (int)plan.wants.size();

#pragma ompx managed(first, column, gives)
  int *first = new int[rows + 1], *column = new int[entries], *gives = new int[given + 1];
#pragma ompx managed(value, packed)
  double *value = new double[entries], *packed = new double[given + 1];
#pragma ompx managed(x, r, p, q)
  double *x = new double[rows], *r = new double[rows], *p = new double[rows + wanted], *q = new double[rows];

  memcpy(first, matrix.first.data(), (rows + 1) * sizeof *first);
  memcpy(value, matrix.value.data(), entries * sizeof *value);
  std::copy(plan.gives.begin(), plan.gives.end(), gives);
  // Behind the own elements of p stand those of others, in the order of their numbers.
  for (size_t k = 0; k < entries; ++k) {
    const int number = matrix.column[k];
    const auto place = std::lower_bound(plan.wants.begin(), plan.wants.end(), number) - plan.wants.begin();
    column[k] = number >= lo && number < lo + rows ? number - lo : rows + (int)place;
  }
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    x[i] = 0;
    r[i] = p[i] = 1.0 + ((lo + i) % 10) * 0.1;
  }

  double rr = dot(r, r, rows);
  const double rr0 = rr;
  double start = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (iteration == iterations / 10) start = MPI_Wtime();  // by then kernels are built
    pack(packed, p, gives, given);
    MPI_Neighbor_alltoallv(packed, plan.giveCounts.data(), plan.givePlaces.data(), MPI_DOUBLE, p + rows,
                           plan.wantCounts.data(), plan.wantPlaces.data(), MPI_DOUBLE, plan.all);
    multiply(first, column, value, p, q, rows);
    const double alpha = rr / dot(p, q, rows);
    addScaled(x, alpha, p, rows);
    addScaled(r, -alpha, q, rows);
    const double next = dot(r, r, rows);
    newDirection(p, r, next / rr, rows);
    rr = next;
  }
  if (rank == 0) printTime("hybrid-cg", MPI_Wtime() - start, iterations - iterations / 10);
  const double norm = dot(x, x, rows);
  if (rank == 0)
    printf("hybrid-cg: %d rows, %d iterations, residual %.6e of the first, norm of x %.10g\n", all, iterations,
           sqrt(rr / rr0), sqrt(norm));
  MPI_Comm_free(&plan.all);
  delete[] first;
  delete[] column;
  delete[] gives;
  delete[] value;
  delete[] packed;
  delete[] x;
  delete[] r;
  delete[] p;
  delete[] q;
  MPI_Finalize();
}
