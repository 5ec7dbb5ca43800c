// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel files: arrays that loops write go to a file and come back into arrays that loops have written, too, by
// explicit offsets, views, shared pointers and split calls, blocking and not; some reads hit the end of the file and
// leave the rest of their array as it was. The file's name is the argument.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int rows = 48, columns = 37, n = rows * columns, steps = 8;
enum Way { AT_ALL, VIEW, NONBLOCKING, SPLIT, SHARED, SHORT, SHORT_ALL, MEMORY, WAYS };
const char* const names[] = {"at all", "view", "nonblocking", "split", "shared", "short", "short all", "memory"};
int rank = 0, size = 1;

long weigh(const int* x) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += static_cast<long>(x[i]) * (i % 61 + 1);
  return sum;
}

void fill(int* x, int seed) {
  const int mine = rank * 7 + seed;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = (i * 13 + mine * 101) % 997;
}

void change(int* x, int from, int to, int by) {
#pragma omp parallel for
  for (int i = from; i < to; ++i) x[i] = x[i] * 3 % 1013 + by;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Comm world = MPI_COMM_WORLD;
  if (argc < 2) MPI_Abort(world, 2);
#pragma ompx managed(a, b)
  int* a = static_cast<int*>(std::malloc(n * sizeof(int)));
  int* b = static_cast<int*>(std::malloc(n * sizeof(int)));
  // Rows of this rank in the file are a part of the columns of all.
  const int wide[] = {rows, columns * size}, mine[] = {rows, columns}, corner[] = {0, columns * rank};
  MPI_Datatype view, inner;
  MPI_Type_create_subarray(2, wide, mine, corner, MPI_ORDER_C, MPI_INT, &view);
  const int part[] = {rows - 4, columns - 5}, from[] = {2, 3};
  MPI_Type_create_subarray(2, mine, part, from, MPI_ORDER_C, MPI_INT, &inner);
  MPI_Type_commit(&view);
  MPI_Type_commit(&inner);
  MPI_File file;
  MPI_File_open(world, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  long sums[WAYS] = {};
  const int next = (rank + 1) % size;
  MPI_Status status;
  for (int s = 0; s < steps; ++s) {
    for (int w = 0; w < WAYS; ++w) {
#ifdef OPEN_MPI  // 4.1.4 waits for requests that it has not made when processes read together past the end
      if (w == SHORT_ALL) continue;
#endif
      int count = 0;
      fill(a, s + w);
      fill(b, s + w + 30);
      MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
      MPI_File_set_size(file, 0);
      MPI_Barrier(world);
      switch (static_cast<Way>(w)) {
        case AT_ALL:
          MPI_File_write_at_all(file, MPI_Offset{rank} * n, a + 5, n - 9, MPI_INT, &status);
          MPI_File_sync(file);
          MPI_Barrier(world);
          MPI_File_sync(file);
          MPI_File_read_at_all(file, MPI_Offset{next} * n + 3, b + 1, n - 40, MPI_INT, &status);
          break;
        case VIEW:
          MPI_File_set_view(file, 0, MPI_INT, view, "native", MPI_INFO_NULL);
          MPI_File_write_all(file, a, n, MPI_INT, MPI_STATUS_IGNORE);
          change(a, 0, n, s);
          MPI_File_seek(file, columns, MPI_SEEK_SET);
          MPI_File_read_all(file, b + 2, n - columns - 7, MPI_INT, MPI_STATUS_IGNORE);
          MPI_File_seek(file, 0, MPI_SEEK_SET);
          MPI_File_read(file, a + 100, 10, MPI_INT, MPI_STATUS_IGNORE);
          MPI_File_write(file, b + 100, 20, MPI_INT, MPI_STATUS_IGNORE);
          break;
        case NONBLOCKING: {
          MPI_Request requests[2];
          MPI_File_iwrite_at(file, (MPI_Offset{2} * rank) * n, a, n / 2, MPI_INT, &requests[0]);
          MPI_File_iwrite_at(file, (MPI_Offset{2} * rank) * n + n, a + n / 2, n / 2, MPI_INT, &requests[1]);
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
          change(a, 0, n, s);
          MPI_File_seek(file, (MPI_Offset{2} * rank) * n + n, MPI_SEEK_SET);
          MPI_File_iread(file, b + 300, 400, MPI_INT, &requests[0]);
          MPI_File_iread_at(file, (MPI_Offset{2} * rank) * n + 9, b + 900, 500, MPI_INT, &requests[1]);
          change(b, 0, 300, 1);
          change(b, 700, 900, 2);
          MPI_Wait(&requests[1], &status);
          MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
          break;
        }
        case SPLIT:
          MPI_File_write_at_all_begin(file, MPI_Offset{rank} * n, a, n, MPI_INT);
          change(b, 0, n, s);
          MPI_File_write_at_all_end(file, a, &status);
          change(a, 0, n, 4);
          MPI_File_seek(file, MPI_Offset{rank} * n, MPI_SEEK_SET);
          MPI_File_read_all_begin(file, b + 200, 1000, MPI_INT);
          change(b, 1200, n, 3);
          MPI_File_read_all_end(file, b + 200, &status);
          break;
        case SHARED:
          MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
          MPI_File_write_ordered(file, a, n, MPI_INT, MPI_STATUS_IGNORE);
          MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
          MPI_File_read_ordered(file, b + 7, n / 2, MPI_INT, MPI_STATUS_IGNORE);
          MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
          MPI_Barrier(world);
          if (rank == size - 1) MPI_File_read_shared(file, b + 1000, 300, MPI_INT, MPI_STATUS_IGNORE);
          if (rank == size - 1) MPI_File_write_shared(file, b + 990, 100, MPI_INT, MPI_STATUS_IGNORE);
          break;
        case SHORT:
        case SHORT_ALL:
          if (rank == 0) MPI_File_write_at(file, 0, a, 700, MPI_INT, MPI_STATUS_IGNORE);
          MPI_File_sync(file);
          MPI_Barrier(world);
          MPI_File_sync(file);
          if (w == SHORT) MPI_File_read_at(file, 100 + rank, b + 9, n - 9, MPI_INT, &status);
          if (w == SHORT_ALL) MPI_File_read_at_all(file, 100 + rank, b + 9, n - 9, MPI_INT, &status);
          if (w == SHORT) MPI_Get_count(&status, MPI_INT, &count);
          break;
        default:
          MPI_File_write_at(file, MPI_Offset{rank} * n, a, 1, inner, MPI_STATUS_IGNORE);
          MPI_File_read_at(file, MPI_Offset{rank} * n, b, 1, inner, MPI_STATUS_IGNORE);
          change(b, 0, 2 * columns, 1);
          MPI_File_read_at(file, MPI_Offset{rank} * n + 1, a, 500, MPI_INT, MPI_STATUS_IGNORE);
      }
      MPI_Barrier(world);
      sums[w] = (sums[w] * 31 + weigh(a) * 3 + weigh(b) + count) % 1000000007L;
    }
  }
  // The last write that all can see.
  fill(a, 77);
  MPI_File_set_size(file, 0);
  MPI_File_write_at_all(file, MPI_Offset{rank} * n, a, n, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  std::vector<long> found(WAYS * size);
  MPI_Gather(sums, WAYS, MPI_LONG, found.data(), WAYS, MPI_LONG, 0, world);
  for (int i = 0; rank == 0 && i < WAYS * size; ++i)
    std::printf("%s of %d: %ld\n", names[i % WAYS], i / WAYS, found[i]);
  if (rank == 0) {
    std::vector<int> all(n * size);
    std::FILE* written = std::fopen(argv[1], "rb");
    const std::size_t got = written != nullptr ? std::fread(all.data(), sizeof(int), all.size(), written) : 0;
    long sum = 0;
    for (std::size_t i = 0; i < got; ++i) sum += all[i] * static_cast<long>(i % 89 + 1);
    std::printf("file of %zu numbers: %ld\n", got, sum);
    if (written != nullptr) std::fclose(written);
  }
  MPI_Type_free(&view);
  MPI_Type_free(&inner);
  std::free(a);
  std::free(b);
  MPI_Finalize();
}
