// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed memory that MPI uses over many calls: the buffer of MPI_Bsend, and packed data in the external
// representation.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int n = 5000;
int rank = 0, size = 1;

void fill(int* x, int seed) {
  const int mine = rank * 7 + seed;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = (i * 13 + mine * 101) % 997;
}

void print(const char* what, const int* x) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += static_cast<long>(x[i]) * (i % 61 + 1);
  sum *= rank + 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s %ld\n", what, sum);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const int room = 3 * (n * static_cast<int>(sizeof(int)) + MPI_BSEND_OVERHEAD);
#pragma ompx managed(a, b, pool, packed)
  int* a = static_cast<int*>(std::malloc(n * sizeof(int)));
  int* b = static_cast<int*>(std::malloc(n * sizeof(int)));
  char* pool = static_cast<char*>(std::malloc(room));
  char* packed = static_cast<char*>(std::malloc(n * sizeof(int)));
#pragma omp parallel for
  for (int i = 0; i < room; ++i) pool[i] = static_cast<char>(i % 7);
  MPI_Buffer_attach(pool, room);
  for (int s = 0; s < 3; ++s) {
    fill(a, s);
    MPI_Bsend(a, n, MPI_INT, next, s, MPI_COMM_WORLD);
    fill(a, 100);
    MPI_Recv(b, n, MPI_INT, before, s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    print("Bsend", b);  // waits for all, so that the pool is empty
  }
  void* detached = nullptr;
  int detachedBytes = 0;
  MPI_Buffer_detach(&detached, &detachedBytes);
  long left = 0;
#pragma omp parallel for reduction(+ : left)
  for (int i = 0; i < room; ++i) left += (pool[i] = static_cast<char>(i % 5));
  if (rank == 0) std::printf("%d %d %ld\n", detached == pool, detachedBytes == room, left);
  fill(a, 4);
  MPI_Aint place = 0, end = 0;
  MPI_Pack_external("external32", a, n, MPI_INT, packed, n * sizeof(int), &end);
  // In that representation the first byte of a number is its highest one.
  long bytes = 0;
#pragma omp parallel for reduction(+ : bytes)
  for (int i = 0; i < n; ++i) bytes += 256 * packed[4 * i + 2] + (packed[4 * i + 3] & 255);
  MPI_Unpack_external("external32", packed, end, &place, b, n, MPI_INT);
  if (rank == 0) std::printf("%ld %ld %ld\n", static_cast<long>(end), static_cast<long>(place), bytes);
  print("Unpack_external", b);
  MPI_Finalize();
}
