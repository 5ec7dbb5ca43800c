// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ring of ranks, each with some columns of a grid: halo columns by persistent requests with vector types, one set of
// requests for each of two grids that are swapped. While columns travel, loops use others of the same grid.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int rows = 61, columns = 151, steps = 60;

long next(const int* a, int stride, int i, int j) {
  const int up = (i + rows - 1) % rows, down = (i + 1) % rows;
  return (3L * a[i * stride + j - 1] + 5L * a[i * stride + j + 1] + a[up * stride + j] + a[down * stride + j]) % 10007;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int lo = rank * columns / size, width = (rank + 1) * columns / size - lo, stride = width + 2;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
#pragma ompx managed(a, b)
  int* a = static_cast<int*>(std::malloc(sizeof(int) * rows * stride));
  int* b = static_cast<int*>(std::malloc(sizeof(int) * rows * stride));
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, stride, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<MPI_Request> ofA(4), ofB(4);
  for (const auto& [grid, requests] : {std::pair{a, &ofA}, std::pair{b, &ofB}}) {
    MPI_Recv_init(grid, 1, column, left, 0, MPI_COMM_WORLD, &(*requests)[0]);
    MPI_Recv_init(grid + width + 1, 1, column, right, 1, MPI_COMM_WORLD, &(*requests)[1]);
    MPI_Send_init(grid + 1, 1, column, left, 1, MPI_COMM_WORLD, &(*requests)[2]);
    MPI_Ssend_init(grid + width, 1, column, right, 0, MPI_COMM_WORLD, &(*requests)[3]);
  }
#pragma omp parallel for
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < stride; ++j) {
      a[i * stride + j] = (i * 131 + (lo + j) * 17) % 1009;
      b[i * stride + j] = -1;
    }
  const int middle = width / 2;
  for (int s = 0; s < steps; ++s) {
    MPI_Startall(4, ofA.data());
    // Between the columns that travel, in pages that have both.
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) a[i * stride + middle] += s + i;
#pragma omp parallel for
    for (int i = 0; i < rows; ++i)
      for (int j = 2; j < width; ++j) b[i * stride + j] = static_cast<int>(next(a, stride, i, j));
    MPI_Waitall(4, ofA.data(), MPI_STATUSES_IGNORE);
#pragma omp parallel for
    for (int i = 0; i < rows; ++i) {
      b[i * stride + 1] = static_cast<int>(next(a, stride, i, 1));
      b[i * stride + width] = static_cast<int>(next(a, stride, i, width));
    }
    std::swap(a, b);
    std::swap(ofA, ofB);
  }
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows; ++i)
    for (int j = 1; j <= width; ++j) sum += static_cast<long>(a[i * stride + j]) * ((i * columns + lo + j) % 97 + 1);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  // What the ranks hold, column by column.
  std::vector<int> mine, all, counts, places;
  for (int j = 1; j <= width; ++j)
    for (int i = 0; i < rows; ++i) mine.push_back(a[i * stride + j]);
  for (int r = 0; r < size; ++r) {
    places.push_back(r * columns / size * rows);
    counts.push_back((r + 1) * columns / size * rows - places.back());
  }
  all.resize(rows * columns);
  MPI_Gatherv(mine.data(), width * rows, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("sum %ld\n", sum);
    for (int i = 0; i < rows * columns; i += 41) std::printf("%d\n", all[i]);
  }
  for (std::vector<MPI_Request>* requests : {&ofA, &ofB})
    for (MPI_Request& request : *requests) MPI_Request_free(&request);
  MPI_Type_free(&column);
  std::free(a);
  std::free(b);
  MPI_Finalize();
}
