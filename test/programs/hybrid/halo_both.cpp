// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid of which each rank has a block of columns: columns travel as messages of a type with gaps, whole blocks of
// rows without, and some that are shorter than what they are received into. Loops touch the grid between begin and end.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int rows = 150, columns = 210, large = 6000, steps = 12;

long hashOf(const double* a, int stride, int width) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows; ++i)
    for (int j = 1; j <= width; ++j) sum += static_cast<long>(a[i * stride + j] * 64) * ((i * 31 + j) % 97 + 1);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int lo = rank * columns / size, width = (rank + 1) * columns / size - lo, stride = width + 2;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
#pragma ompx managed(a, b, c, d)
  double* a = static_cast<double*>(std::malloc(sizeof(double) * rows * stride));
  double* b = static_cast<double*>(std::malloc(sizeof(double) * rows * stride));
  double* c = static_cast<double*>(std::malloc(sizeof(double) * large));
  double* d = static_cast<double*>(std::malloc(sizeof(double) * large));
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, stride, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < stride; ++j) {
      a[i * stride + j] = (i * 131 + (lo + j) * 17) % 1009 * 0.25;
      b[i * stride + j] = -1;
    }
#pragma omp parallel for
  for (int i = 0; i < large; ++i) c[i] = d[i] = rank + i * 0.5;
  long hash = 0;
  for (int s = 0; s < steps; ++s) {
    MPI_Request requests[4];
    MPI_Irecv(a, 1, column, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(a + width + 1, 1, column, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a + 1, 1, column, left, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(a + width, 1, column, right, 0, MPI_COMM_WORLD, &requests[3]);
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 2; j < width; ++j) b[i * stride + j] = 0.5 * (a[i * stride + j - 1] + a[i * stride + j + 1]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) {
      b[i * stride + 1] = 0.5 * (a[i * stride] + a[i * stride + 2]);
      b[i * stride + width] = 0.5 * (a[i * stride + width - 1] + a[i * stride + width + 1]);
    }
    std::swap(a, b);
    // Fewer elements come than there is room for: the others stay.
    MPI_Status status;
    const int sent = large - 100 * s - 20;
    MPI_Sendrecv(c, sent, MPI_DOUBLE, right, 2, d + 8, large - 8, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &status);
    int came = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &came);
#pragma omp parallel for
    for (int i = 0; i < large; ++i) {
      c[i] = c[i] * 0.75 + d[i] * 0.125 + i % 7 + came % 11;
      d[i] -= 0.5;
    }
    // What the host wrote, and what it reads, goes between.
    if (s % 5 == 3) {
      a[7 * stride + 1] += 1;
      hash = hash * 31 + static_cast<long>(a[9 * stride] * 64) + static_cast<long>(c[8] * 64) + came;
    }
    // Nobody waits for the end of this one.
    MPI_Request freed;
    double early = 0;
    MPI_Irecv(&early, 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(c + s, 1, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    hash = hash * 7 + hashOf(a, stride, width) + static_cast<long>(early * 64);
  }
  double sum = 0;
  for (int i = 0; i < large; ++i) sum += c[i] + 2 * d[i];
  std::vector<long> hashes(size);
  std::vector<double> sums(size);
  MPI_Gather(&hash, 1, MPI_LONG, hashes.data(), 1, MPI_LONG, 0, MPI_COMM_WORLD);
  MPI_Gather(&sum, 1, MPI_DOUBLE, sums.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0)
    for (int r = 0; r < size; ++r) std::printf("%ld %.17g\n", hashes[r], sums[r]);
  MPI_Type_free(&column);
  std::free(a);
  std::free(b);
  std::free(c);
  std::free(d);
  MPI_Finalize();
}
