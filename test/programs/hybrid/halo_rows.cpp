// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid by rows of each rank: halo rows by Isend and Irecv beside the rows that need none, an Allreduce in each step,
// and a Gatherv at the end.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int n = 203, steps = 40;

double mean(const double* a, int i, int j) {
  return 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int lo = rank * n / size, hi = (rank + 1) * n / size, rows = hi - lo;
#pragma ompx managed(a, b)
  double* a = static_cast<double*>(std::malloc(sizeof(double) * (rows + 2) * n));
  double* b = static_cast<double*>(std::malloc(sizeof(double) * (rows + 2) * n));
#pragma omp parallel for
  for (int i = 0; i < rows + 2; ++i)
    for (int j = 0; j < n; ++j) {
      const int at = (lo + i) * 37 + j * 11;
      a[i * n + j] = at % 101 * 0.25 + 0.01 * j;
      b[i * n + j] = a[i * n + j];
    }
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double change = 0;
  for (int s = 0; s < steps; ++s) {
    MPI_Request requests[4];
    MPI_Irecv(a, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(a + (rows + 1) * n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a + n, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(a + rows * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
#pragma omp parallel for
    for (int i = 2; i < rows; ++i)
      for (int j = 1; j < n - 1; ++j) b[i * n + j] = mean(a, i, j);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    const int edges[2] = {1, rows};
#pragma omp parallel for
    for (int k = 0; k < 2; ++k)
      for (int j = 1; j < n - 1; ++j) {
        const int i = edges[k];
        if (lo + i - 1 > 0 && lo + i - 1 < n - 1) b[i * n + j] = mean(a, i, j);
      }
    change = 0;
#pragma omp parallel for reduction(max : change)
    for (int i = 1; i <= rows; ++i)
      for (int j = 0; j < n; ++j) change = std::fmax(change, std::fabs(b[i * n + j] - a[i * n + j]));
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    std::swap(a, b);
  }
  std::vector<int> counts(size), places(size);
  for (int r = 0; r < size; ++r) {
    places[r] = r * n / size * n;
    counts[r] = (r + 1) * n / size * n - places[r];
  }
  std::vector<double> all(rank == 0 ? n * n : 0);
  MPI_Gatherv(a + n, rows * n, MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("change %.17g\n", change);
    for (int i = 0; i < n * n; i += 97) std::printf("%.17g\n", all[i]);
  }
  std::free(a);
  std::free(b);
  MPI_Finalize();
}
