// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of every kind of derived datatype, to the next rank of a ring, from arrays that a loop has written into
// arrays that a loop has written, too: what the types leave out keeps the loops' values. Blocking and not, into the
// same type, as packed numbers, and shorter than what is waited for.
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

constexpr int n = 4096, steps = 12;
int rank = 0, size = 1;

struct Particle {
  double x, y;
  int kind;
  short charge, spin;
  float mass;
  int number;
};

// As MPI_DOUBLE_INT, with a gap behind.
struct Pair {
  double value;
  int place;
};

long weigh(const int* x) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += static_cast<long>(x[i]) * (i % 61 + 1);
  return sum;
}

long weighAll(const Particle* p, int count) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i)
    sum += (i % 13 + 1) * (static_cast<long>(p[i].x) + static_cast<long>(p[i].y) * 3 + p[i].kind * 5L +
                           p[i].charge * 7L + p[i].spin * 11L + static_cast<long>(p[i].mass) * 13 + p[i].number * 17L);
  return sum;
}

void fill(int* x, int seed) {
  const int mine = rank * 7 + seed;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) x[i] = (i * 13 + mine * 101) % 997;
}

void fillAll(Particle* p, int count, int seed) {
  const int mine = rank * 5 + seed;
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    p[i].x = mine + i, p[i].y = mine - i, p[i].kind = mine * i % 17, p[i].charge = static_cast<short>(mine % 7);
    p[i].spin = static_cast<short>(i % 5), p[i].mass = static_cast<float>(i % 9), p[i].number = i + mine;
  }
}

long weighPairs(const Pair* p, int count) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += (i % 13 + 1) * (static_cast<long>(p[i].value) + p[i].place * 3L);
  return sum;
}

void fillPairs(Pair* p, int count, int seed) {
  const int mine = rank * 5 + seed;
#pragma omp parallel for
  for (int i = 0; i < count; ++i) p[i].value = mine + 2 * i, p[i].place = mine - i;
}

MPI_Datatype nested(MPI_Datatype vector) {
  constexpr MPI_Aint bytes = sizeof(int);
  MPI_Datatype apart, twin, all;
  MPI_Type_create_resized(vector, 0, 400 * bytes, &apart);
  MPI_Type_dup(apart, &twin);
  const int lengths[] = {1, 2, 3};
  const MPI_Aint at[] = {2400 * bytes, bytes, 500 * bytes};
  const MPI_Datatype types[] = {twin, MPI_INT, apart};
  MPI_Type_create_struct(3, lengths, at, types, &all);
  MPI_Type_free(&apart);
  MPI_Type_free(&twin);
  return all;
}

std::vector<std::pair<const char*, MPI_Datatype>> makeTypes() {
  std::vector<std::pair<const char*, MPI_Datatype>> made;
  const auto add = [&](const char* name) { return &made.emplace_back(name, MPI_DATATYPE_NULL).second; };
  const int lengths[] = {3, 40, 0, 7}, places[] = {100, 900, 5, 3}, starts[] = {7, 1029, 2000};
  const MPI_Aint bytes[] = {4000, 400, 8, 12000}, bytesToo[] = {404, 8000, 40};
  MPI_Type_contiguous(77, MPI_INT, add("contiguous"));
  MPI_Type_vector(20, 3, 19, MPI_INT, add("vector"));
  MPI_Type_create_hvector(20, 3, 76 + 8, MPI_INT, add("hvector"));
  MPI_Type_indexed(4, lengths, places, MPI_INT, add("indexed"));
  MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, add("hindexed"));
  MPI_Type_create_indexed_block(3, 33, starts, MPI_INT, add("indexed block"));
  MPI_Type_create_hindexed_block(3, 5, bytesToo, MPI_INT, add("hindexed block"));
  const int plane[] = {40, 50}, window[] = {11, 7}, corner[] = {3, 31};
  MPI_Type_create_subarray(2, plane, window, corner, MPI_ORDER_C, MPI_INT, add("subarray"));
  MPI_Type_create_subarray(2, plane, window, corner, MPI_ORDER_FORTRAN, MPI_INT, add("subarray in Fortran's order"));
  const int cube[] = {9, 10, 11}, part[] = {4, 5, 6}, low[] = {2, 3, 1};
  MPI_Type_create_subarray(3, cube, part, low, MPI_ORDER_C, MPI_INT, add("cube"));
  MPI_Type_create_subarray(3, cube, part, low, MPI_ORDER_FORTRAN, MPI_INT, add("cube in Fortran's order"));
  const int sizes[] = {44, 45}, ways[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, grid[] = {2, 2};
  const int arguments[] = {3, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Type_create_darray(4, 1, 2, sizes, ways, arguments, grid, MPI_ORDER_C, MPI_INT, add("darray"));
  MPI_Datatype vector = made[1].second;
  *add("nested") = nested(vector);
  for (auto& [name, type] : made) MPI_Type_commit(&type);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size, people = 301;
#pragma ompx managed(a, b, p, q, v, w)
  std::vector<int> a(n), b(n);
  std::vector<Particle> p(people), q(people);
  std::vector<Pair> v(people), w(people);
  std::vector<char> packed(1 << 16);
  auto types = makeTypes();
  std::vector<long> sums;
  // Some members of each particle; the next one is a particle further.
  MPI_Datatype members, some, scattered;
  const int lengths[] = {1, 1, 2};
  const MPI_Aint offsets[] = {offsetof(Particle, y), offsetof(Particle, spin), offsetof(Particle, mass)};
  const MPI_Datatype memberTypes[] = {MPI_DOUBLE, MPI_SHORT, MPI_FLOAT};
  MPI_Type_create_struct(3, lengths, offsets, memberTypes, &members);
  MPI_Type_create_resized(members, 0, sizeof(Particle), &some);
  MPI_Type_commit(&some);
  MPI_Datatype pairs;
  MPI_Type_vector(60, 2, 5, MPI_DOUBLE_INT, &pairs);
  MPI_Type_commit(&pairs);
  // By addresses: parts of two arrays, which have no common base.
  MPI_Aint addresses[2];
  const int parts[] = {900, 600};
  MPI_Get_address(&a[500], &addresses[0]);
  MPI_Get_address(&b[2100], &addresses[1]);
  MPI_Type_create_hindexed(2, parts, addresses, MPI_INT, &scattered);
  MPI_Type_commit(&scattered);
  const auto fresh = [&](int seed) {
    fill(a.data(), seed);
    fill(b.data(), seed + 3);
  };
  for (int s = 0; s < steps; ++s) {
    std::size_t at = 0;
    const auto note = [&](long value) {
      if (s == 0) sums.push_back(0);
      sums[at] = (sums[at] * 31 + value) % 1000000007L;
      ++at;
    };
    for (auto& [name, type] : types) {
      fresh(s);
      MPI_Sendrecv(a.data(), 1, type, right, 0, b.data(), 1, type, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      note(weigh(b.data()));
      // Beside a loop over elements that this type leaves out: the last ones.
      fresh(s + 1);
      MPI_Request requests[2];
      MPI_Irecv(b.data(), 1, type, left, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(a.data(), 1, type, right, 1, MPI_COMM_WORLD, &requests[1]);
#pragma omp parallel for
      for (int i = 3500; i < n; ++i) b[i] += s + i;
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      note(weigh(b.data()));
      // Fewer numbers than the type has come, blocking and not.
      fresh(s + 2);
      int bytes = 0;
      MPI_Type_size(type, &bytes);
      const int numbers = bytes / static_cast<int>(sizeof(int)) * 3 / 5;
      MPI_Irecv(a.data(), 1, type, left, 2, MPI_COMM_WORLD, &requests[0]);
      MPI_Send(b.data() + s, numbers, MPI_INT, right, 2, MPI_COMM_WORLD);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      note(weigh(a.data()));
      MPI_Isend(a.data() + 1, numbers, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
      MPI_Recv(b.data(), 1, type, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      note(weigh(b.data()));
      fresh(s + 4);
      int position = 0;
      MPI_Pack(a.data(), 1, type, packed.data(), 1 << 16, &position, MPI_COMM_WORLD);
      position = 0;
      MPI_Unpack(packed.data(), 1 << 16, &position, b.data(), 1, type, MPI_COMM_WORLD);
      note(weigh(b.data()));
    }
    fillAll(p.data(), people, s);
    fillAll(q.data(), people, s + 9);
    MPI_Sendrecv(&p[3], 200, some, right, 4, &q[50], 210, some, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(weighAll(q.data(), people));
    // The last particle comes in part.
    MPI_Sendrecv(&p[100], 40 * sizeof(Particle) + 12, MPI_BYTE, right, 5, &q[200], 100 * sizeof(Particle), MPI_BYTE,
                 left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(weighAll(q.data(), people));
    fillPairs(v.data(), people, s);
    fillPairs(w.data(), people, s + 7);
    MPI_Request pending;
    MPI_Irecv(w.data(), 1, pairs, left, 8, MPI_COMM_WORLD, &pending);
    MPI_Send(v.data(), 1, pairs, right, 8, MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    note(weighPairs(w.data(), people));
    fresh(s + 5);
    MPI_Sendrecv_replace(MPI_BOTTOM, 1, scattered, right, 6, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    note(weigh(a.data()) * 3 + weigh(b.data()));
    fresh(s + 6);
    MPI_Request request;
    MPI_Irecv(MPI_BOTTOM, 1, scattered, left, 7, MPI_COMM_WORLD, &request);
#pragma omp parallel for
    for (int i = 0; i < 500; ++i) a[i] = b[i] + s;
    MPI_Send(&b[0], 1500, MPI_INT, right, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note(weigh(a.data()) * 3 + weigh(b.data()));
  }
  const int cases = static_cast<int>(sums.size());
  std::vector<long> all(cases * size);
  MPI_Gather(sums.data(), cases, MPI_LONG, all.data(), cases, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < cases * size; ++i)
    std::printf("%s %d of %d: %ld\n",
                i % cases / 5 < static_cast<int>(types.size()) ? types[i % cases / 5].first : "other", i % cases % 5,
                i / cases, all[i]);
  for (auto& [name, type] : types) MPI_Type_free(&type);
  for (MPI_Datatype* type : {&members, &some, &scattered, &pairs}) MPI_Type_free(type);
  MPI_Finalize();
}
