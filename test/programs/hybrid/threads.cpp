// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second thread receives, blocking and not, into two arrays and sends one on, while the main thread runs loops over
// others and sends and sums what these give.
#include <mpi.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int n = 3700, steps = 60;
int rank = 0, size = 1;

// Not to itself: MPICH 4.0 loses such messages between threads.
int next(int by) { return size > 1 ? (rank + by) % size : MPI_PROC_NULL; }

long weigh(const int* x) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += static_cast<long>(x[i]) * (i % 61 + 1);
  return sum;
}

void step(int* to, const int* from, int by) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) to[i] = (from[i] * 5 + from[(i + 17) % n] + by) % 1009;
}

// The thread that receives has a communicator of its own.
void receive(MPI_Comm comm, int* in, int* late, const int* out) {
  const int right = next(1), left = next(size - 1);
  MPI_Request requests[2];
  MPI_Irecv(late + 9, n - 9, MPI_INT, left, 2, comm, &requests[0]);
  MPI_Isend(out, n / 2, MPI_INT, right, 2, comm, &requests[1]);
  MPI_Recv(in + 3, n - 3, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) std::printf("no threads\n");
    MPI_Finalize();
    return 0;
  }
  const int right = next(1);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
#pragma ompx managed(a, b, in, late, out)
  std::vector<int> a(n), b(n), in(n), late(n), out(n);
  int *pa = a.data(), *pb = b.data(), *pin = in.data(), *plate = late.data(), *pout = out.data();
  const int mine = rank * 31;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    pa[i] = (i * 7 + mine) % 509;
    pin[i] = i % 11;
    plate[i] = i % 13;
    pout[i] = i % 17 + mine;
  }
  long sum = 0, all = 0;
  for (int s = 0; s < steps; ++s) {
    std::thread other(receive, comm, pin, plate, pout);
    step(pb, pa, s);
    step(pa, pb, s + 1);
    MPI_Allreduce(pa + 5, pb + 7, n / 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    step(pa, pb, s + 2);
    MPI_Send(pa, n - 3 - s, MPI_INT, right, 1, comm);
    step(pb, pa, s + 3);
    other.join();
    sum = (sum * 31 + weigh(pin) + 3 * weigh(plate) + 5 * weigh(pb)) % 1000000007L;
    // What came goes into what is sent next.
    step(pout, pin, s);
    step(pin, plate, s);
    step(plate, pout, s);
  }
  std::vector<long> sums(size);
  MPI_Gather(&sum, 1, MPI_LONG, sums.data(), 1, MPI_LONG, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int r = 0; r < size; ++r) std::printf("sum of %d: %ld\n", r, sums[r]);
    std::printf("all %ld\n", all);
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
}
