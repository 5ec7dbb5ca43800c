// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators of parts: other loops in each half, collective calls between the halves, neighbours in a grid with and
// without ends, and neighbours in a graph, all on managed arrays whose untouched elements keep what loops wrote.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int n = 2200, steps = 30, part = 150;
enum Case { HALVES, BETWEEN, LINE, RING, GRAPH, CASES };
const char* const names[] = {"halves", "between", "line", "ring", "graph"};
int rank = 0, size = 1;
long sums[CASES];

void weigh(Case which, const double* x) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += x[i] * (i % 61 + 1);
  sums[which] = (sums[which] * 31 + static_cast<long>(sum)) % 1000000007L;
}

void fill(double* x, int seed) {
  const int mine = rank * 7 + seed;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = (i * 13 + mine * 101) % 997;
}

void change(double* x, int from, int to, int by) {
#pragma omp parallel for
  for (int i = from; i < to; ++i) x[i] += by + i;
}

// Each half does its own work on its own communicator.
void halves(MPI_Comm half, bool even, double* a, double* b, int s) {
  int mine = 0, others = 1;
  MPI_Comm_rank(half, &mine);
  MPI_Comm_size(half, &others);
  if (even) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; ++i) b[i] = a[i - 1] + a[i + 1];
    MPI_Allreduce(MPI_IN_PLACE, b + 5, n / 2, MPI_DOUBLE, MPI_SUM, half);
  } else {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] = b[n - 1 - i] * 2 + s;
    MPI_Sendrecv_replace(a + 9, n / 3, MPI_DOUBLE, (mine + 1) % others, 0, (mine + others - 1) % others, 0, half,
                         MPI_STATUS_IGNORE);
  }
}

// Between the even ranks and the others.
void between(MPI_Comm inter, bool even, double* a, double* b, int s) {
  int others = 0;
  MPI_Comm_remote_size(inter, &others);
  MPI_Allreduce(a + 3, b + 3, 300, MPI_DOUBLE, MPI_SUM, inter);
  MPI_Allgather(a + 400, part, MPI_DOUBLE, b + 400, part, MPI_DOUBLE, inter);
  MPI_Alltoall(a + 900, 50, MPI_DOUBLE, b + 900, 50, MPI_DOUBLE, inter);
  int mine = 0;
  MPI_Comm_rank(inter, &mine);
  const int root = even ? (mine == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  MPI_Bcast(a + 1200, 77, MPI_DOUBLE, root, inter);
  // Where it is the root that gets all, what it would send does not matter, and neither does what others would get.
  if (even)
    MPI_Gather(nullptr, 0, MPI_DOUBLE, b + 1300, part, MPI_DOUBLE, root, inter);
  else
    MPI_Gather(a + 1300, part, MPI_DOUBLE, nullptr, 0, MPI_DOUBLE, root, inter);
  MPI_Request request;
  MPI_Ibcast(a + 1700, 99, MPI_DOUBLE, root, inter, &request);
  change(a, 1799, n, s);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Reduce(a + 1900, b + 1900, 200, MPI_DOUBLE, MPI_MAX, root, inter);
}

// The processes at the ends of a line have only one neighbour: nothing comes in the other's place.
void neighbours(MPI_Comm grid, Case which, double* a, double* b, int s) {
  MPI_Neighbor_allgather(a + 3, part, MPI_DOUBLE, b + 5, part, MPI_DOUBLE, grid);
  MPI_Neighbor_alltoall(a + 400, part, MPI_DOUBLE, b + 400, part, MPI_DOUBLE, grid);
  const int counts[] = {70, 70}, places[] = {800, 900};
  const MPI_Aint bytes[] = {1000 * sizeof(double), 1100 * sizeof(double)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Neighbor_alltoallv(a, counts, places, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, grid);
  MPI_Neighbor_alltoallw(a, counts, bytes, types, b, counts, bytes, types, grid);
  weigh(which, b);
  MPI_Request request;
  MPI_Ineighbor_allgather(a + 1200, part, MPI_DOUBLE, b + 1200, part, MPI_DOUBLE, grid, &request);
  change(b, 1200 + 2 * part, n, s);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ineighbor_alltoallv(a, counts, places, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, grid, &request);
  change(b, 0, 700, s);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  weigh(which, b);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool even = rank % 2 == 0;
#pragma ompx managed(a, b)
  double* a = static_cast<double*>(std::calloc(n, sizeof(double)));
  double* b = static_cast<double*>(std::calloc(n, sizeof(double)));
  MPI_Comm half, inter = MPI_COMM_NULL, line, ring, graph;
  MPI_Comm_split(MPI_COMM_WORLD, even ? 0 : 1, rank, &half);
  if (size > 1) MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, even ? 1 : 0, 3, &inter);
  const int open = 0, closed = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &closed, 0, &ring);
  // From all lower ranks, to all higher ones.
  std::vector<int> from, to;
  for (int r = 0; r < rank; ++r) from.push_back(r);
  for (int r = rank + 1; r < size; ++r) to.push_back(r);
  const int in = static_cast<int>(from.size()), out = static_cast<int>(to.size());
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from.data(), MPI_UNWEIGHTED, out, to.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  for (int s = 0; s < steps; ++s) {
    const auto fresh = [&](int seed) {
      fill(a, s + seed);
      fill(b, s + seed + 33);
    };
    fresh(0);
    halves(half, even, a, b, s);
    weigh(HALVES, a);
    weigh(HALVES, b);
    fresh(1);
    if (size > 1) between(inter, even, a, b, s);
    weigh(BETWEEN, a);
    weigh(BETWEEN, b);
    fresh(2);
    neighbours(line, LINE, a, b, s);
    fresh(3);
    neighbours(ring, RING, a, b, s);
    fresh(4);
    MPI_Neighbor_allgather(a + 1, part, MPI_DOUBLE, b + 2, part, MPI_DOUBLE, graph);
    MPI_Neighbor_alltoall(a + 500, part, MPI_DOUBLE, b + 700, part, MPI_DOUBLE, graph);
    weigh(GRAPH, b);
    std::vector<int> counts(size, part), places(size);
    for (int r = 0; r < size; ++r) places[r] = 1400 + r * (part + 9);
    MPI_Request request;
    MPI_Ineighbor_allgatherv(a + 900, part, MPI_DOUBLE, b, counts.data(), places.data(), MPI_DOUBLE, graph, &request);
    change(b, 0, 1400, s);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    weigh(GRAPH, b);
  }
  std::vector<long> found(CASES * size);
  MPI_Gather(sums, CASES, MPI_LONG, found.data(), CASES, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < CASES * size; ++i)
    std::printf("%s of %d: %ld\n", names[i % CASES], i / CASES, found[i]);
  for (MPI_Comm* comm : {&half, &inter, &line, &ring, &graph})
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  std::free(a);
  std::free(b);
  MPI_Finalize();
}
