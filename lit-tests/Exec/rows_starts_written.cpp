// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large tables of row starts are not read again while nobody writes them. Whatever writes one is noticed: an assignment,
// memcpy, a system call, another thread, loops with other bounds, a new table at the same place, both sides of a fork.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t
// RUN: %run %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t nofork > %t.out
// RUN: %run %t.plain nofork | diff - %t.out
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

constexpr int n = 20000;  // 160 KB of entries
int *neighbours = nullptr;
int **table = nullptr;

static void build() {
#pragma ompx managed(index)
  int **index = new int *[n + 1];
  for (int i = 0, at = 0; i <= n; ++i) {
    index[i] = neighbours + at;
    if (i < n) at += i % 4;
  }
  table = index;
}

static long sumOf(int **index, int from, int to) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = from; i < to; ++i)
    for (int *p = index[i]; p < index[i + 1]; ++p) sum += *p * (i % 3 + 1);
  return sum;
}

static long lengths(int **index, int to) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < to; ++i) sum += (index[i + 1] - index[i]) * (i % 5);
  return sum;
}

static void show(const char *what) {
  std::printf("%s: %ld", what, sumOf(table, 0, n));
  std::printf(" %ld", lengths(table, n));
  std::printf(" %ld", sumOf(table, 100, n / 2));
  std::printf(" %ld\n", lengths(table, n - 7));
  std::fflush(stdout);
}

int main(int argc, char **) {
#pragma ompx managed(neighbours)
  neighbours = new int[2 * n];
  for (int i = 0; i < 2 * n; ++i) neighbours[i] = i * 7 % 101;
  build();
  show("first");
  show("again");
  table[4000] = table[4001];
  show("assigned");
  show("again");
  int *moved[3] = {table[1], table[1], table[2]};
  std::memcpy(table, moved, sizeof moved);
  show("copied");
  int ends[2];
  if (pipe(ends) != 0) return 1;
  int *longer = table[n] + 5;
  if (write(ends[1], &longer, sizeof longer) != sizeof longer) return 1;
  if (read(ends[0], table + n, sizeof longer) != sizeof longer) return 1;
  show("read");
  std::thread([] { table[9999] = table[9998]; }).join();
  show("thread");
  // Written between loops of which each has numbers of its own.
  std::printf("%ld", lengths(table, n));
  table[777] = table[778];
  std::printf(" %ld", lengths(table, n - 7));
  std::printf(" %ld\n", lengths(table, n));
  delete[] table;
  build();
  table[12] = table[13];
  show("new");
  if (argc == 1) {
    const pid_t child = fork();
    table[20] = table[21];
    if (child == 0) {
      table[24] = table[25];
      show("child");
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 2;
    show("parent");
  }
  delete[] table;
  delete[] neighbours;
}
