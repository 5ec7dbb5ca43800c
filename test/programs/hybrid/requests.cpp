// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which requests end: in any order, several or one at a time, tested, cancelled, freed. Each step sends
// parts of an array that a loop has written to the next rank of a ring, into the middle of one whose other elements
// loops write.
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int n = 6000, steps = 25, many = 24, part = 200, middle = 600;
enum Way { WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME, STATUS, BACKWARDS, PROBES, FORMS, NOBODY, FREED, WAYS };
const char* const names[] = {"waitany", "waitsome",  "test",   "testall", "testany", "testsome",
                             "status",  "backwards", "probes", "forms",   "nobody",  "freed"};
int rank = 0, size = 1;

long weigh(const double* x) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += x[i] * (i % 61 + 1);
  return static_cast<long>(sum);
}

void fill(double* x, int seed) {
  const int mine = rank * 7 + seed;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = (i * 13 + mine * 101) % 997;
}

// Ends them all, in the way asked for.
void finish(Way way, std::vector<MPI_Request>& requests) {
  const int count = static_cast<int>(requests.size());
  int done = 0, flag = 0, index = 0, ended = 0;
  std::vector<int> indices(count);
  switch (way) {
    case WAITANY:
      for (int i = 0; i < count; ++i) MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
      return;
    case WAITSOME:
      for (; ended < count; ended += done)
        MPI_Waitsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      return;
    case TEST:
      while (ended < count) {
        MPI_Request& request = requests[index++ % count];
        if (request == MPI_REQUEST_NULL) continue;
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        ended += flag;
      }
      return;
    case TESTALL:
      while (flag == 0) MPI_Testall(count, requests.data(), &flag, MPI_STATUSES_IGNORE);
      return;
    case TESTANY:
      while (ended < count) {
        MPI_Testany(count, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
        ended += flag;
      }
      return;
    case TESTSOME:
      for (; ended < count; ended += done)
        MPI_Testsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
      return;
    case STATUS:
      for (MPI_Request request : requests)
        for (flag = 0; flag == 0;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
      break;
    default:
      for (int i = count - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      return;
  }
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size, none = MPI_PROC_NULL;
  const MPI_Comm world = MPI_COMM_WORLD;
#pragma ompx managed(a, b)
  double* a = new double[n];
  double* b = new double[n];
  std::vector<char> space(20 * n * sizeof(double));
  MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
  long sums[WAYS] = {};
  for (int s = 0; s < steps; ++s) {
    for (int w = 0; w < WAYS; ++w) {
      const Way way = static_cast<Way>(w);
      fill(a, s + w);
      fill(b, s + w + 40);
      std::vector<MPI_Request> requests(2 * many);
      if (way <= BACKWARDS) {
        // Some receives are longer than what comes.
        for (int i = 0; i < many; ++i) {
          const int count = part - (i % 3 == 0 ? 50 : 0);
          MPI_Irecv(b + middle + i * part, part, MPI_DOUBLE, left, i, world, &requests[i]);
          MPI_Isend(a + 17 + i * part, count, MPI_DOUBLE, right, i, world, &requests[2 * many - 1 - i]);
        }
#pragma omp parallel for
        for (int i = 0; i < middle; ++i) b[i] += s + a[i];
#pragma omp parallel for
        for (int i = middle + many * part; i < n; ++i) b[i] += s;
        finish(way, requests);
      } else if (way == PROBES) {
        MPI_Status status;
        MPI_Message message;
        int count = 0, flag = 0;
        requests.resize(3);
        for (int i = 0; i < 3; ++i) MPI_Isend(a + 100 * i, 500 + 50 * i, MPI_DOUBLE, right, i, world, &requests[i]);
        MPI_Probe(left, 0, world, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        MPI_Recv(b + 1, count, MPI_DOUBLE, left, 0, world, MPI_STATUS_IGNORE);
        MPI_Mprobe(left, 1, world, &message, &status);
        MPI_Mrecv(b + 1001, 600, MPI_DOUBLE, &message, &status);
        while (flag == 0) MPI_Improbe(left, 2, world, &flag, &message, &status);
        MPI_Request request;
        MPI_Imrecv(b + 3000, 2000, MPI_DOUBLE, &message, &request);
#pragma omp parallel for
        for (int i = 2900; i < 3000; ++i) b[i] += s;
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
        sums[way] += count;
      } else if (way == FORMS) {
        requests.resize(6);
        for (int i = 0; i < 6; ++i) MPI_Irecv(b + 30 + i * 400, 400, MPI_DOUBLE, left, i, world, &requests[i]);
        MPI_Barrier(world);
        MPI_Rsend(a + 5, 300, MPI_DOUBLE, right, 0, world);
        MPI_Bsend(a + 400, 310, MPI_DOUBLE, right, 1, world);
        MPI_Ssend(a + 800, 320, MPI_DOUBLE, right, 2, world);
        MPI_Request sends[3];
        MPI_Irsend(a + 1200, 330, MPI_DOUBLE, right, 3, world, &sends[0]);
        MPI_Ibsend(a + 1600, 340, MPI_DOUBLE, right, 4, world, &sends[1]);
        MPI_Issend(a + 2000, 350, MPI_DOUBLE, right, 5, world, &sends[2]);
#pragma omp parallel for
        for (int i = 3000; i < n; ++i) a[i] = b[i] + 1;
        MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
        MPI_Waitall(6, requests.data(), MPI_STATUSES_IGNORE);
      } else if (way == NOBODY) {
        MPI_Sendrecv(a, 500, MPI_DOUBLE, right, 0, b + 100, n - 100, MPI_DOUBLE, left, 0, world, MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, 500, MPI_DOUBLE, none, 0, b + 50, 900, MPI_DOUBLE, none, 0, world, MPI_STATUS_IGNORE);
        MPI_Recv(b + 3, 900, MPI_DOUBLE, none, 0, world, MPI_STATUS_IGNORE);
        requests.resize(5);
        MPI_Irecv(b + 1000, 900, MPI_DOUBLE, none, 0, world, &requests[0]);
        MPI_Irecv(b + 2000, 900, MPI_DOUBLE, left, 1, world, &requests[1]);
        MPI_Isend(a, 900, MPI_DOUBLE, none, 0, world, &requests[2]);
        MPI_Iallreduce(MPI_IN_PLACE, b + 4000, 700, MPI_DOUBLE, MPI_SUM, world, &requests[3]);
        MPI_Isend(a + 9, 800, MPI_DOUBLE, right, 1, world, &requests[4]);
        MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
        MPI_Irecv(b + 5000, 900, MPI_DOUBLE, left, 99, world, &requests[0]);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      } else {
        // Freed while they go on. What follows tells that they are over.
        requests.resize(2);
        MPI_Isend(a, n / 2, MPI_DOUBLE, right, 2, world, &requests[0]);
        MPI_Request_free(&requests[0]);
        MPI_Barrier(world);
        MPI_Recv(b + 11, n / 2, MPI_DOUBLE, left, 2, world, MPI_STATUS_IGNORE);
        MPI_Barrier(world);
        MPI_Irecv(b + 4000, 100, MPI_DOUBLE, left, 3, world, &requests[0]);
        MPI_Send(a + 4000, 100, MPI_DOUBLE, right, 3, world);
        MPI_Request_free(&requests[0]);
        MPI_Sendrecv(a, 1, MPI_DOUBLE, right, 4, b, 1, MPI_DOUBLE, left, 4, world, MPI_STATUS_IGNORE);
        MPI_Barrier(world);
      }
      sums[w] = (sums[w] * 31 + weigh(b) + 3 * weigh(a)) % 1000000007L;
    }
  }
  std::vector<long> all(WAYS * size);
  MPI_Gather(sums, WAYS, MPI_LONG, all.data(), WAYS, MPI_LONG, 0, world);
  for (int i = 0; rank == 0 && i < WAYS * size; ++i) std::printf("%s of %d: %ld\n", names[i % WAYS], i / WAYS, all[i]);
  void* buffer = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(&buffer, &bytes);
  delete[] a;
  delete[] b;
  MPI_Finalize();
}
