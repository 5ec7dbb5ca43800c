// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A managed array in a window: all accesses and all ways to synchronise, with loops over it between the epochs, and
// with origins and results in other managed arrays whose other elements loops write meanwhile.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int n = 3001, steps = 8;
enum Way { FENCE, GENERAL, LOCK, LOCK_ALL, ATOMIC, REQUESTS, WAYS };
const char* const names[] = {"fence", "general", "lock", "lock all", "atomic", "requests"};
int rank = 0, size = 1;

long weigh(const long* x) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += x[i] * (i % 61 + 1);
  return sum;
}

void fill(long* x, int seed) {
  const int mine = rank * 7 + seed;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = (i * 13 + mine * 101) % 997;
}

void change(long* x, int from, int to, int by) {
#pragma omp parallel for
  for (int i = from; i < to; ++i) x[i] = x[i] * 3 % 1013 + by;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  const MPI_Comm world = MPI_COMM_WORLD;
#pragma ompx managed(shared, a, b)
  long* shared = static_cast<long*>(std::malloc(n * sizeof(long)));
  long* a = static_cast<long*>(std::malloc(n * sizeof(long)));
  long* b = static_cast<long*>(std::malloc(n * sizeof(long)));
  fill(shared, 5);
  MPI_Datatype every;
  MPI_Type_vector(40, 2, 5, MPI_LONG, &every);
  MPI_Type_commit(&every);
  MPI_Group all, sources, targets;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, &left, &sources);
  MPI_Group_incl(all, 1, &right, &targets);
  long sums[WAYS] = {};
  for (int round = 0; round < 2; ++round) {
    // Before the window and after it, loops have the array for themselves.
    change(shared, 0, n, round);
    MPI_Win window;
    MPI_Win_create(shared, n * sizeof(long), sizeof(long), MPI_INFO_NULL, world, &window);
    for (int s = 0; s < steps; ++s) {
      for (int w = 0; w < WAYS; ++w) {
        fill(a, s + w);
        fill(b, s + w + 20);
        fill(shared, s + w + 40);
        change(shared, 100, n - 50, s);
        MPI_Barrier(world);
        switch (static_cast<Way>(w)) {
          case FENCE:
            MPI_Win_fence(0, window);
            MPI_Put(a + 3, 500, MPI_LONG, right, 10, 500, MPI_LONG, window);
            MPI_Put(a + 700, 1, every, right, 600, 1, every, window);
            MPI_Get(b + 40, 300, MPI_LONG, right, 1200, 300, MPI_LONG, window);
            MPI_Get(b + 500, 1, every, left, 1600, 80, MPI_LONG, window);
            MPI_Accumulate(a + 100, 200, MPI_LONG, right, 2000, 200, MPI_LONG, MPI_SUM, window);
            change(b, 800, n, s);  // beside what comes
            MPI_Win_fence(0, window);
            change(shared, 0, n, 1);
            MPI_Win_fence(0, window);
            MPI_Get(b + 2000, 400, MPI_LONG, left, 1, 400, MPI_LONG, window);
            MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
            break;
          case GENERAL:
            MPI_Win_post(sources, 0, window);
            MPI_Win_start(targets, 0, window);
            MPI_Put(a, 300, MPI_LONG, right, 50, 300, MPI_LONG, window);
            MPI_Get(b + 10, 300, MPI_LONG, right, 900, 300, MPI_LONG, window);
            change(b, 310, n, s);
            MPI_Win_complete(window);
            change(b, 0, 400, 2);
            MPI_Win_wait(window);
            break;
          case LOCK:
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
            MPI_Put(a + 1, 400, MPI_LONG, right, 1, 400, MPI_LONG, window);
            MPI_Get(b + 1000, 400, MPI_LONG, right, 1000, 400, MPI_LONG, window);
            MPI_Win_flush_local(right, window);
            change(b, 900, 1500, s);
            MPI_Get_accumulate(a + 2000, 50, MPI_LONG, b + 2000, 50, MPI_LONG, right, 2500, 50, MPI_LONG, MPI_SUM,
                               window);
            MPI_Win_unlock(right, window);
            MPI_Barrier(world);
            break;
          case LOCK_ALL:
            MPI_Win_lock_all(0, window);
            MPI_Get(b + 1, 100, MPI_LONG, left, 2000, 100, MPI_LONG, window);
            MPI_Get(b + 101, 100, MPI_LONG, right, 2100, 100, MPI_LONG, window);
            change(b, 201, 900, s);
            MPI_Win_flush(left, window);
            if (left != right) change(b, 0, 101, 5);
            MPI_Win_flush_all(window);
            change(b, 101, 300, 7);
            MPI_Put(b + 1, 100, MPI_LONG, right, 10, 100, MPI_LONG, window);
            MPI_Win_flush_local_all(window);
            change(b, 0, 200, 9);
            MPI_Win_unlock_all(window);
            MPI_Barrier(world);
            break;
          case ATOMIC:
            MPI_Win_lock_all(0, window);
            MPI_Fetch_and_op(a + 5, b + 5, MPI_LONG, right, 77, MPI_SUM, window);
            MPI_Fetch_and_op(nullptr, b + 6, MPI_LONG, right, 80, MPI_NO_OP, window);
            MPI_Compare_and_swap(a + 9, a + 9, b + 9, MPI_LONG, right, 90, window);
            MPI_Get_accumulate(nullptr, 0, MPI_LONG, b + 100, 30, MPI_LONG, right, 100, 30, MPI_LONG, MPI_NO_OP,
                               window);
            change(b, 200, n, s);
            MPI_Win_unlock_all(window);
            MPI_Barrier(world);
            break;
          default:
            MPI_Win_lock_all(0, window);
            MPI_Request requests[3];
            MPI_Rput(a + 30, 300, MPI_LONG, right, 3, 300, MPI_LONG, window, &requests[0]);
            MPI_Rget(b + 400, 300, MPI_LONG, right, 403, 300, MPI_LONG, window, &requests[1]);
            MPI_Raccumulate(a + 900, 300, MPI_LONG, right, 903, 300, MPI_LONG, MPI_MAX, window, &requests[2]);
            change(b, 700, n, s);
            MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
            change(b, 300, 900, s);
            MPI_Rget_accumulate(a, 20, MPI_LONG, b, 20, MPI_LONG, right, 2900, 20, MPI_LONG, MPI_SUM, window,
                                &requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
            MPI_Win_unlock_all(window);
            MPI_Barrier(world);
        }
        // What others have put is seen by loops between the epochs.
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        sums[w] = (sums[w] * 31 + weigh(shared) * 7 + weigh(b) * 3 + weigh(a)) % 1000000007L;
        MPI_Win_unlock(rank, window);
        MPI_Barrier(world);
      }
    }
    MPI_Win_free(&window);
  }
  std::vector<long> found(WAYS * size);
  MPI_Gather(sums, WAYS, MPI_LONG, found.data(), WAYS, MPI_LONG, 0, world);
  for (int i = 0; rank == 0 && i < WAYS * size; ++i)
    std::printf("%s of %d: %ld\n", names[i % WAYS], i / WAYS, found[i]);
  for (MPI_Group* group : {&all, &sources, &targets}) MPI_Group_free(group);
  MPI_Type_free(&every);
  std::free(shared);
  std::free(a);
  std::free(b);
  MPI_Finalize();
}
