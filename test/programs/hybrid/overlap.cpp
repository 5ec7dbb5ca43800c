// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to an array while MPI fills a part of it: loops that write others of its elements, but not so that
// anybody could know which; loops over all around them; and code of the program on the same pages. Parts begin and end
// inside of pages, and messages may be shorter than the receives.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int n = 60000, part = 20000, first = 20003;  // MPI fills [first, first + part)
int rank = 0, size = 1;

int place(int i) { return i < first ? i : i + part; }  // of the i-th element that MPI leaves alone

void fill(double* u, int seed) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) u[i] = (i * 13L + seed * 101L + rank * 7) % 997;
}

void print(const char* what, const double* u) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += u[i] * (i % 61 + 1);
  sum *= rank + 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s %.8e\n", what, sum);
}

enum Way { SCATTER, ADD, CONDITION, STRIDED, AROUND, HOST, READ, WAYS };
const char* const names[] = {"scatter", "add", "condition", "strided", "around", "host", "read"};

void work(Way way, double* u, double* v, const int* where, int s) {
  switch (way) {
    case SCATTER:  // each element by one iteration at most
#pragma omp parallel for
      for (int i = 0; i < n - part; ++i) u[where[i]] = i + s;
      return;
    case ADD:
#pragma omp parallel for
      for (int i = 0; i < n - part; ++i) {
#pragma omp atomic
        u[where[i / 2]] += i % 5 + s;
      }
      return;
    case CONDITION:
#pragma omp parallel for
      for (int i = 0; i < n; ++i)
        if (i < first || i >= first + part) u[i] = 2 * i + s;
      return;
    case STRIDED:  // every second one below, which a planner may count as all
#pragma omp parallel for
      for (int i = 0; i < first / 2; ++i) u[2 * i] += s;
      return;
    case AROUND:
#pragma omp parallel for
      for (int i = 0; i < first; ++i) u[i] += s;
#pragma omp parallel for
      for (int i = first + part; i < n; ++i) u[i] -= s;
      return;
    case HOST:
#pragma omp parallel for
      for (int i = 0; i < first; ++i) u[i] += s;
      u[first - 1] += u[first + part] + u[first - 2];
      u[first + part] = s;
      return;
    default:
#pragma omp parallel for
      for (int i = 0; i < n - part; ++i) v[i] = u[where[i]] + s;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
#pragma ompx managed(v, where)
  double* v = static_cast<double*>(std::malloc(n * sizeof(double)));
  int* where = static_cast<int*>(std::malloc((n - part) * sizeof(int)));
#pragma omp parallel for
  for (int i = 0; i < n - part; ++i) where[i] = place((i * 7) % (n - part));
  for (int s = 0; s < 3; ++s) {
    for (int w = 0; w < WAYS; ++w) {
      const Way way = static_cast<Way>(w);
      // Of a size of its own: whether MPI may fill an array in place is remembered with it.
#pragma ompx managed(u)
      double* u = static_cast<double*>(std::malloc((n + 8 * w) * sizeof(double)));
      fill(u, s + w);
      fill(v, s + w + 30);
      // The host has the part, so that MPI may fill it where it is.
      double touched = 0;
      for (int i = first; i < first + part; i += 100) touched += u[i];
      MPI_Request requests[2];
      MPI_Irecv(u + first, part, MPI_DOUBLE, before, w, MPI_COMM_WORLD, &requests[0]);
      if (s == 1) work(way, u, v, where, s);  // before anything comes
      MPI_Isend(v, part - 700 * s, MPI_DOUBLE, next, w, MPI_COMM_WORLD, &requests[1]);
      if (way != READ) work(way, u, v, where, s);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      if (way == READ) work(way, u, v, where, s);
      print(names[way], u);
      print(names[way], v);
      if (rank == 0) std::printf("%.8e\n", touched);
      std::free(u);
    }
  }
  std::free(v);
  std::free(where);
  MPI_Finalize();
}
