// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of bench/programs/halo.cpp: MPI and OpenCL. The grid stays on the device; rows go through host
// memory that the device's driver has pinned, and are read while the receives are under way. Arguments: n, steps.
#include <mpi.h>

#include <cstdlib>

#include "../programs/report.h"
#include "opencl.h"

static const char* const kernelText = R"(
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void halo(__global double *u, int n, long last) {
  const int j = (int)get_global_id(0);
  if (j >= n) return;
  u[n + j] = 0.5 * u[n + j] + 0.25 * u[j];
  u[last - n + j] = 0.5 * u[last - n + j] + 0.25 * u[last + j];
}
)";

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = argc > 1 ? atoi(argv[1]) : 8192, steps = argc > 2 ? atoi(argv[2]) : 200;
  const long rows = 8, last = (rows - 1) * n;
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;
  std::vector<double> u((size_t)rows * n);
  for (long i = 0; i < rows * n; ++i) u[(size_t)i] = (double)((i * 31 + rank * 17) % 1000) / 1000;

  const OpenCl cl("halo_mpi", kernelText, "");
  cl_kernel kernel = cl.kernel("halo");
  cl_mem grid = cl.buffer(u);
  const size_t bytes = (size_t)n * sizeof(double);
  double* const pinned = (double*)cl.pinned(4 * bytes);  // ghost rows above and below, and the rows beside them
  double *const above = pinned, *const below = pinned + n, *const first = pinned + 2 * n, *const final = pinned + 3 * n;
  double start = 0;
  for (int step = -10; step < steps; ++step) {
    if (step == 0) {
      cl.finish();
      MPI_Barrier(MPI_COMM_WORLD);
      start = now();
    }
    cl.set(kernel, grid, n, last);
    cl.run<1>(kernel, {(size_t)n}, {128});
    MPI_Request requests[4];
    MPI_Irecv(above, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(below, n, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
    cl.readPart(grid, (size_t)n * sizeof(double), bytes, first);
    cl.readPart(grid, (size_t)(last - n) * sizeof(double), bytes, final);
    cl.finish();
    MPI_Isend(first, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(final, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    cl.writePart(grid, 0, bytes, above);
    cl.writePart(grid, (size_t)last * sizeof(double), bytes, below);
    cl.finish();  // MPI fills the rows again in the next step
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = now() - start;
  cl.read(grid, u);
  const double sum = (double)(checksum(u.data(), u.size() * sizeof(double)) >> 24);
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) report("halo_mpi", seconds, steps, 4.0 * (double)bytes, (uint64_t)all);
  MPI_Finalize();
  return 0;
}
