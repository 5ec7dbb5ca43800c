// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collective calls on managed arrays that loops write before and read after them, in place and not, of uneven parts,
// with an operator of the program's own, several at once while loops use other elements, and two of 24 MB.
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int n = 1237, steps = 30, big = 3 << 20;
enum Case {
  ALLREDUCE,
  REDUCE,
  BCAST,
  SCATTERV,
  GATHERV,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  REDUCE_SCATTER,
  REDUCE_BLOCK,
  SCAN,
  EXSCAN,
  OPERATOR,
  SEVERAL,
  BESIDE,
  LARGE,
  CASES
};
const char* const names[] = {"allreduce", "reduce",    "bcast",     "scatterv",       "gatherv",      "allgatherv",
                             "alltoall",  "alltoallv", "alltoallw", "reduce_scatter", "reduce_block", "scan",
                             "exscan",    "operator",  "several",   "beside",         "large"};
int rank = 0, size = 1;
long sums[CASES];

// The same in any order, and read by a loop.
void weigh(Case which, const int* x, int count) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += static_cast<long>(x[i]) * (i % 61 + 1);
  sums[which] = (sums[which] * 31 + sum) % 1000000007L;
}

void fill(int* x, int count, int seed) {
  const int mine = rank * 7 + seed;
#pragma omp parallel for
  for (int i = 0; i < count; ++i) x[i] = (i * 13 + mine * 101) % 997;
}

void lastDigits(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(inout)[i] = (static_cast<int*>(in)[i] + static_cast<int*>(inout)[i]) % 1000;
}

int partOf(int r) { return n * (r + 1) / size - n * r / size; }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int total = n * (size + 1);
#pragma ompx managed(a, b, c)
  std::vector<int> a(total), b(total), c(total);
  std::vector<int> counts, places, bytes;
  std::vector<MPI_Datatype> types(size, MPI_INT);
  for (int r = 0; r < size; ++r) {
    counts.push_back(partOf(r));
    places.push_back(n * r / size);
    bytes.push_back(places[r] * static_cast<int>(sizeof(int)));
  }
  const int part = partOf(rank), place = places[rank];
  // What each pair of ranks exchanges, the same seen from both sides.
  std::vector<int> pairs, pairPlaces, pairBytes;
  for (int r = 0; r < size; ++r) {
    pairs.push_back((r + rank) * 29 + 5);
    pairPlaces.push_back(r * n + 3 * r);

    pairBytes.push_back(pairPlaces.back() * static_cast<int>(sizeof(int)));
  }
  MPI_Op digits;
  MPI_Op_create(lastDigits, 1, &digits);

  for (int s = 0; s < steps; ++s) {
    const int root = s % size;
    const auto both = [&](int seed) {
      fill(a.data(), n * size, s + seed);
      fill(b.data(), n * size, s * 3 + seed + 50);
    };
    both(0);
    MPI_Allreduce(MPI_IN_PLACE, a.data() + 3, n - 5, MPI_INT, MPI_SUM, world);
    weigh(ALLREDUCE, a.data(), total);
    both(1);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : a.data(), a.data(), n, MPI_INT, MPI_MAX, 0, world);
    MPI_Reduce(a.data() + 1, b.data() + 2, n - 9, MPI_INT, MPI_SUM, root, world);
    weigh(REDUCE, a.data(), total);
    weigh(REDUCE, b.data(), total);
    both(2);
    MPI_Bcast(a.data() + 11, n - 20, MPI_INT, root, world);
    weigh(BCAST, a.data(), total);
    both(3);
    MPI_Scatterv(a.data(), counts.data(), places.data(), MPI_INT, b.data() + 1, part, MPI_INT, root, world);
    weigh(SCATTERV, b.data(), total);
    both(4);
    MPI_Gatherv(a.data() + 2, part, MPI_INT, b.data(), counts.data(), places.data(), MPI_INT, root, world);
    weigh(GATHERV, b.data(), total);
    both(5);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a.data(), counts.data(), places.data(), MPI_INT, world);
    weigh(ALLGATHERV, a.data(), total);
    both(6);
    MPI_Alltoall(a.data(), n / 2, MPI_INT, b.data() + n / 3, n / 2, MPI_INT, world);
    weigh(ALLTOALL, b.data(), total);
    both(7);
    MPI_Alltoallv(a.data(), pairs.data(), pairPlaces.data(), MPI_INT, b.data(), pairs.data(), pairPlaces.data(),
                  MPI_INT, world);
    weigh(ALLTOALLV, b.data(), total);
    both(8);
    MPI_Alltoallw(a.data(), pairs.data(), pairBytes.data(), types.data(), b.data(), pairs.data(), pairBytes.data(),
                  types.data(), world);
    weigh(ALLTOALLW, b.data(), total);
    both(9);
    MPI_Reduce_scatter(a.data(), b.data() + 7, counts.data(), MPI_INT, MPI_SUM, world);
    weigh(REDUCE_SCATTER, b.data(), total);
    MPI_Reduce_scatter(MPI_IN_PLACE, a.data(), counts.data(), MPI_INT, MPI_SUM, world);
    weigh(REDUCE_SCATTER, a.data(), part);
    both(10);
    MPI_Reduce_scatter_block(a.data(), b.data() + 1, n - 1, MPI_INT, MPI_MIN, world);
    weigh(REDUCE_BLOCK, b.data(), total);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, a.data(), n, MPI_INT, MPI_SUM, world);
    weigh(REDUCE_BLOCK, a.data(), n);
    both(11);
    MPI_Scan(a.data(), b.data() + 4, n - 4, MPI_INT, MPI_SUM, world);
    weigh(SCAN, b.data(), total);
    both(12);
    MPI_Exscan(MPI_IN_PLACE, a.data() + 1, n - 2, MPI_INT, MPI_SUM, world);
    weigh(EXSCAN, rank == 0 ? b.data() : a.data(), total);
    both(13);
    MPI_Allreduce(a.data(), b.data(), n - 1, MPI_INT, digits, world);
    weigh(OPERATOR, b.data(), total);
    // Several at once.
    both(14);
    fill(c.data(), n * size, s + 70);
    MPI_Request requests[4];
    MPI_Iallreduce(a.data() + 1, c.data() + 1, 100, MPI_INT, MPI_SUM, world, &requests[0]);
    MPI_Iallgather(a.data() + 200, 100, MPI_INT, b.data(), 100, MPI_INT, world, &requests[1]);
    MPI_Iallreduce(MPI_IN_PLACE, c.data() + 300, 50, MPI_INT, MPI_SUM, world, &requests[2]);
    MPI_Ireduce(a.data() + 400, c.data() + 400, 200, MPI_INT, MPI_SUM, root, world, &requests[3]);
#pragma omp parallel for
    for (int i = 101; i < 300; ++i) c[i] += i + s;
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    weigh(SEVERAL, c.data() + 300, 50);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    weigh(SEVERAL, b.data(), total);
    weigh(SEVERAL, c.data(), total);
    // Beside loops over other elements of what comes.
    both(15);
    fill(c.data(), n * size, s + 71);
    MPI_Ireduce_scatter(MPI_IN_PLACE, c.data(), counts.data(), MPI_INT, MPI_SUM, world, &requests[0]);
    MPI_Ialltoallv(a.data(), pairs.data(), pairPlaces.data(), MPI_INT, b.data(), pairs.data(), pairPlaces.data(),
                   MPI_INT, world, &requests[1]);
#pragma omp parallel for
    for (int i = 400; i < 1000; ++i) b[i] += i + s;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Ibcast(a.data() + place, 5, MPI_INT, root, world, &requests[0]);
    MPI_Iscatterv(b.data() + 5, counts.data(), places.data(), MPI_INT, a.data() + n * size, part, MPI_INT, root, world,
                  &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    weigh(BESIDE, a.data(), total);
    weigh(BESIDE, b.data(), total);
    weigh(BESIDE, c.data(), part);
  }
  {
#pragma ompx managed(x, y)
    std::vector<int> x(2 * big), y(2 * big);
    fill(x.data(), 2 * big, 1);
    MPI_Allreduce(x.data(), y.data(), 2 * big, MPI_INT, MPI_SUM, world);
    weigh(LARGE, y.data(), 2 * big);
    MPI_Sendrecv_replace(x.data(), 2 * big, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, world,
                         MPI_STATUS_IGNORE);
    weigh(LARGE, x.data(), 2 * big);
  }
  std::vector<long> all(CASES * size);
  MPI_Gather(sums, CASES, MPI_LONG, all.data(), CASES, MPI_LONG, 0, world);
  for (int i = 0; rank == 0 && i < CASES * size; ++i)
    std::printf("%s of %d: %ld\n", names[i % CASES], i / CASES, all[i]);
  MPI_Op_free(&digits);
  MPI_Finalize();
}
