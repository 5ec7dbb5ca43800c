// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What MPI 4 added, on managed arrays: wide counts, collective operations that are started again and again, messages
// that are sent and received at once without waiting, parts of messages.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int n = 6000, steps = 8;
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

void wide(int* a, int* b) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Sendrecv_c(a, MPI_Count{n}, MPI_INT, next, 0, b, MPI_Count{n}, MPI_INT, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  print("Sendrecv_c", b);
  std::vector<MPI_Count> counts(size);
  std::vector<MPI_Aint> places(size);
  for (int r = 0; r < size; ++r) counts[r] = n / size - r, places[r] = (size - 1 - r) * (n / size);
  MPI_Allgatherv_c(a, counts[rank], MPI_INT, b, counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
  print("Allgatherv_c", b);
  MPI_Request request;
  MPI_Iallreduce_c(MPI_IN_PLACE, b, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  print("Iallreduce_c", b);
}

void again(int* a, int* b) {
  MPI_Request requests[2];
  MPI_Bcast_init(b, n, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Allreduce_init(MPI_IN_PLACE, a, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int s = 0; s < steps; ++s) {
    fill(a, s);
    fill(b, 2 * s);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    print("Bcast_init", b);
    print("Allreduce_init", a);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void both(int* a, int* b) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request request;
  fill(a, 3);
  MPI_Isendrecv(a, n, MPI_INT, next, 0, b, n, MPI_INT, before, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  print("Isendrecv", b);
  MPI_Isendrecv_replace(b, n, MPI_INT, next, 0, before, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  print("Isendrecv_replace", b);
}

// Parts of a message are written by loops after it was started.
void parts(int* a, int* b) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  constexpr int count = 6;
  MPI_Request send, receive;
  MPI_Psend_init(a, count, n / count, MPI_INT, next, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
  MPI_Precv_init(b, count, n / count, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
  for (int s = 0; s < 3; ++s) {
    MPI_Start(&receive);
    MPI_Start(&send);
    for (int p = 0; p < count; ++p) {
      const int lo = p * (n / count), hi = lo + n / count;
#pragma omp parallel for
      for (int i = lo; i < hi; ++i) a[i] = (i * 3 + s * 17 + rank) % 1009;
      MPI_Pready(p, send);
    }
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    print("parts", b);
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma ompx managed(a, b)
  int* a = static_cast<int*>(std::malloc(n * sizeof(int)));
  int* b = static_cast<int*>(std::malloc(n * sizeof(int)));
  fill(a, 1);
  fill(b, 2);
  wide(a, b);
  again(a, b);
  both(a, b);
  parts(a, b);
  MPI_Finalize();
}
