// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of vectors whose rows are not evenly spaced, or whose elements somebody else points to: plain loops, with the
// reason.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t 2>&1 | FileCheck %s
#include <cstdio>
#include <utility>
#include <vector>

typedef std::vector<std::vector<int>> Table;

struct Single {
  int value = 1;
  Single() = default;
  Single(Single &&) = default;
  Single &operator=(Single &&) = default;
};
static std::vector<Single> makeSingle(int n) { return std::vector<Single>(n); }

static long sum(const Table &t) {
  long s = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    for (std::size_t j = 0; j < t[i].size(); ++j) s += t[i][j] * (long)(i + 3 * j);
  return s;
}

int main() {
  const int n = 19;
#pragma ompx managed(ragged)
  Table ragged(n);
  for (int i = 0; i < n; ++i) ragged[i].resize(i + 1);
  // CHECK-DAG: rows_vectors_uneven.cpp:[[@LINE+1]]{{.*}}the rows of ragged are not evenly spaced: row 1 is not as long as row 0
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (std::size_t j = 0; j < ragged[i].size(); ++j) ragged[i][j] = i - j;
  std::printf("%ld\n", sum(ragged));

#pragma ompx managed(grown)
  Table grown(n, std::vector<int>(7, 2));
  grown[4].resize(9, 5);
  grown[4].resize(7);
  // CHECK-DAG: rows_vectors_uneven.cpp:[[@LINE+1]]{{.*}}the rows of grown are not evenly spaced
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 7; ++j) grown[i][j] += i;
  std::printf("%ld\n", sum(grown));

#pragma ompx managed(swapped)
  Table swapped(n, std::vector<int>(7, 2));
  for (int i = 0; i < n; ++i) swapped[i][3] = i;
  std::swap(swapped[2], swapped[5]);
  // CHECK-DAG: rows_vectors_uneven.cpp:[[@LINE+1]]{{.*}}the rows of swapped are not evenly spaced
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 7; ++j) swapped[i][j] *= 3;
  std::printf("%ld\n", sum(swapped));

  // Pointers to elements of what is moved stay good.
  std::vector<int> row(7, 1);
  int *kept = row.data();
#pragma ompx managed(pushed)
  Table pushed;
  pushed.push_back(std::move(row));
  for (int i = 1; i < n; ++i) pushed.push_back(std::vector<int>(7, i));
  *kept = 100;
#pragma ompx managed(moved)
  Table moved(std::move(pushed));
  kept[1] = 200;
  // CHECK-DAG: rows_vectors_uneven.cpp:[[@LINE+1]]{{.*}}the rows of moved are not evenly spaced
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 7; ++j) moved[i][j] += j;
  std::printf("%ld %d\n", sum(moved), *kept);
  Table source(n, std::vector<int>(5, 4));
  int *first = source[0].data();
#pragma ompx managed(taken)
  Table taken;
  taken = std::move(source);
  *first = 50;
#pragma ompx managed(assigned)
  Table assigned(n);
  std::vector<int> one(6, 3);
  int *its = one.data();
  assigned[0] = std::move(one);
  its[2] = 9;
  std::printf("%ld %ld\n", sum(taken), sum(assigned));

  // A row with room to grow is not moved from under those who rely on it.
#pragma ompx managed(roomy)
  Table roomy(2);
  roomy[0].reserve(10);
  roomy[0].assign(4, 1);
  int *place = &roomy[0][0];
  roomy[0].push_back(8);
  *place = 77;
  roomy[1].assign(5, 1);
  std::printf("%ld\n", sum(roomy));

  // Again and again, with other sizes; what is freed is used again.
  long s = 0;
  for (int k = 1; k < 6; ++k) {
#pragma ompx managed(again)
    Table again(3 * k, std::vector<int>(40 / k, k));
#pragma omp parallel for
    for (int i = 0; i < 3 * k; ++i)
      for (int j = 0; j < 40 / k; ++j) again[i][j] += i * j;
    s += sum(again);
    again.clear();
    again.resize(k, std::vector<int>(9));
    again.resize(2 * k, std::vector<int>(9, 1));
#pragma omp parallel for
    for (int i = 0; i < 2 * k; ++i)
      for (int j = 0; j < 9; ++j) again[i][j] += j;
    s += sum(again);
  }
  std::printf("%ld\n", s);

  // Elements that cannot be copied.
#pragma ompx managed(singles)
  std::vector<std::vector<Single>> singles(n);
  for (int i = 0; i < n; ++i) singles[i].resize(8);
#pragma ompx managed(line)
  std::vector<Single> line = makeSingle(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 8; ++j) singles[i][j].value += i * j + line[i].value;
  std::printf("%d\n", singles[7][3].value);

  // Not marked, only read.
  const Table plain(n, std::vector<int>(8, 3));
  long total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 8; ++j) total += plain[i][j] * j;
  std::printf("%ld\n", total);
}
