// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heat equation on a square plate, as an MPI program: each rank has some rows and one more on each side, which its
// neighbours send in each step. Inner rows are computed while these messages travel. Arguments: n, steps.
#include <mpi.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sample.h"

namespace {

// Rows [from, to) of the next step; the plate's first and last row and column stay.
void relax(const double* u, double* v, int n, int from, int to) {
#pragma omp parallel for
  for (int i = from; i < to; ++i)
    for (int j = 1; j < n - 1; ++j)
      v[(size_t)i * n + j] = 0.25 * (u[(size_t)(i - 1) * n + j] + u[(size_t)(i + 1) * n + j] +
                                     u[(size_t)i * n + j - 1] + u[(size_t)i * n + j + 1]);
}

double largestChange(const double* u, const double* v, int n, int rows) {
  double change = 0;
#pragma omp parallel for reduction(max : change)
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < n; ++j) change = fmax(change, fabs(u[(size_t)i * n + j] - v[(size_t)i * n + j]));
  return change;
}

struct Ranks {
  int rank = 0, size = 1;
  int firstRow(int r, int n) const { return (int)((long)r * n / size); }
};

// The rows of v, and before its first and last one the neighbours' rows of u.
void step(double* u, double* v, int n, int rows, const Ranks& ranks) {
  const int above = ranks.rank > 0 ? ranks.rank - 1 : MPI_PROC_NULL;
  const int below = ranks.rank + 1 < ranks.size ? ranks.rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  MPI_Irecv(u, n, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(u + (size_t)(rows + 1) * n, n, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(u + n, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(u + (size_t)rows * n, n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[3]);
  relax(u, v, n, 2, rows);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  if (ranks.rank > 0) relax(u, v, n, 1, 2);
  if (ranks.rank + 1 < ranks.size) relax(u, v, n, rows, rows + 1);
}

void printPlate(const double* u, int n, int rows, const Ranks& ranks, int steps, double change) {
  std::vector<int> counts(ranks.size), places(ranks.size);
  for (int r = 0; r < ranks.size; ++r) {
    places[r] = ranks.firstRow(r, n);
    counts[r] = ranks.firstRow(r + 1, n) - places[r];
  }
  MPI_Datatype row;
  MPI_Type_contiguous(n, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  std::vector<double> all(ranks.rank == 0 ? (size_t)n * n : 0);
  MPI_Gatherv(u + n, rows, row, all.data(), counts.data(), places.data(), row, 0, MPI_COMM_WORLD);
  MPI_Type_free(&row);
  if (ranks.rank != 0) return;
  double sum = 0;
  for (size_t i = 0; i < all.size(); ++i) sum += all[i] * (double)(i % 7 + 1);
  printf("hybrid-heat: %d x %d, %d steps, last change %.17g, sum %.17g\n", n, n, steps, change, sum);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
  const int n = (int)numberArgument(argc, argv, 1, "the plate's side", 500, 8, 40000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 50, 1, 1000000);
  const int lo = ranks.firstRow(ranks.rank, n), rows = ranks.firstRow(ranks.rank + 1, n) - lo;
  if (rows < 2) {
    fprintf(stderr, "hybrid-heat: %d ranks are too many for %d rows: each needs 2\n", ranks.size, n);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  const size_t points = (size_t)(rows + 2) * n;
#pragma ompx managed(u)
  double* u = new double[points];
#pragma ompx managed(v)
  double* v = new double[points];
#pragma omp parallel for
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < n; ++j)
      u[(size_t)i * n + j] = v[(size_t)i * n + j] = lo + i == 1 ? 100.0 : j == 0 ? 50.0 + (lo + i) % 7 : 0.0;

  double change = 0, start = 0;
  for (int s = 0; s < steps; ++s) {
    if (s == steps / 10) start = MPI_Wtime();  // by then kernels are built and arrays where they are used
    step(u, v, n, rows, ranks);
    if (s % 10 == 9 || s + 1 == steps) {
      change = largestChange(u, v, n, rows);
      MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    std::swap(u, v);
  }
  if (ranks.rank == 0) printTime("hybrid-heat", MPI_Wtime() - start, steps - steps / 10);
  printPlate(u, n, rows, ranks, steps, change);
  delete[] u;
  delete[] v;
  MPI_Finalize();
}
