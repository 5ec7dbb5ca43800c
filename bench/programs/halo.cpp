// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchange of ghost rows between MPI ranks, and hardly anything else: each step a loop changes the first and the
// last row of this rank's part of a grid by the ghost rows beside them, and MPI exchanges rows with both neighbours (a
// ring). The rest of the grid lies between and is not touched. Arguments: numbers in a row, steps.
#include <mpi.h>

#include <cstdlib>

#include "report.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? atoi(argv[1]) : 8192, steps = argc > 2 ? atoi(argv[2]) : 200;
  const long rows = 8, last = (rows - 1) * n;
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;
#pragma ompx managed(u)
  double* u = (double*)malloc((size_t)rows * n * sizeof(double));
#pragma omp parallel for
  for (long i = 0; i < rows * n; ++i) u[i] = (double)((i * 31 + rank * 17) % 1000) / 1000;
  double start = 0;
  for (int step = -10; step < steps; ++step) {
    if (step == 0) {
      now();  // of the loops before
      MPI_Barrier(MPI_COMM_WORLD);
      start = now();
    }
#pragma omp parallel for
    for (int j = 0; j < n; ++j) {
      u[n + j] = 0.5 * u[n + j] + 0.25 * u[j];
      u[last - n + j] = 0.5 * u[last - n + j] + 0.25 * u[last + j];
    }
    MPI_Request requests[4];
    MPI_Irecv(u, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(u + last, n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(u + n, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(u + last - n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = now() - start;
  const double sum = (double)(checksum(u, (size_t)rows * n * sizeof(double)) >> 24);
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) report("halo", seconds, steps, 4.0 * n * sizeof(double), (uint64_t)all);
  free(u);
  MPI_Finalize();
  return 0;
}
