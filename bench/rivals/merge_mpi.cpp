// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of bench/programs/merge.cpp: every rank knows which elements it has changed, sends them with
// their values to all others, and stores what it gets. Arguments: n, steps.
#include <mpi.h>

#include <cstdlib>
#include <vector>

#include "../programs/report.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long n = argc > 1 ? atol(argv[1]) : 4000000;
  const int steps = argc > 2 ? atoi(argv[2]) : 10;
  const long half = n / 2;
  std::vector<double> a((size_t)n);
  std::vector<int> index((size_t)n);
  for (long i = 0; i < n; ++i) {
    a[(size_t)i] = (double)i;
    index[(size_t)i] = (int)(i * 48271 % n);
  }
  std::vector<int> counts((size_t)size), starts((size_t)size);
  for (int r = 0; r < size; ++r) {
    starts[(size_t)r] = (int)(half * r / size);
    counts[(size_t)r] = (int)(half * (r + 1) / size) - starts[(size_t)r];
  }
  std::vector<int> where((size_t)half);
  std::vector<double> values((size_t)half);
  const int lo = starts[(size_t)rank], hi = lo + counts[(size_t)rank];

  double start = 0;
  const int warm = 2;
  for (int step = -warm; step < steps; ++step) {
    if (step == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      start = now();
    }
    const long first = step % 2 == 0 ? 0 : half;
    for (long i = lo; i < hi; ++i) {
      where[(size_t)i] = index[(size_t)(first + i)];
      values[(size_t)i] = (double)(i + step) * 0.5;
      a[(size_t)where[(size_t)i]] = values[(size_t)i];
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, where.data(), counts.data(), starts.data(), MPI_INT,
                   MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), counts.data(), starts.data(), MPI_DOUBLE,
                   MPI_COMM_WORLD);
    for (long i = 0; i < half; ++i) {
      if (i < lo || i >= hi) a[(size_t)where[(size_t)i]] = values[(size_t)i];
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double edge = a[(size_t)(n / 2)];
  const double seconds = now() - start;
  if (rank == 0) {
    uint64_t sum = checksum(a.data(), (size_t)n * sizeof(double));
    sum ^= checksum(&edge, sizeof edge);
    report("merge_mpi", seconds, steps, (double)half * sizeof(double), sum);
  }
  MPI_Finalize();
  return 0;
}
