// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that launch loops at once, and end, one of them the program, while they have devices. The argument: ends,
// levels (regions inside have teams of their own), exit.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <omp.h>

unsigned frame(int f, int n) {
#pragma omp managed(a, b)
  std::vector<unsigned> a(n, f), b(n);
  unsigned sum = 0;
  for (int t = 0; t < 20; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) b[i] = a[i] * 1664525u + a[i > 0 ? i - 1 : 0];
    a.swap(b);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += a[i];
  }
  return sum;
}

unsigned frames(int first, int count, int ends) {
  std::vector<unsigned> sums(count);
#pragma omp parallel for schedule(dynamic) num_threads(3)
  for (int f = 0; f < count; ++f) {
    sums[f] = frame(first + f, 5000 + 100 * f);
    if (f == ends) exit(7);
  }
  unsigned all = 0;
  for (unsigned s : sums) all = all * 31 + s;
  return all;
}

int main(int, char** argv) {
  if (!strcmp(argv[1], "exit")) return (int)(frames(0, 40, 11) % 2);
  if (!strcmp(argv[1], "levels")) omp_set_max_active_levels(2);
  unsigned sums[6] = {};
  for (int round = 0; round < 3; ++round) {  // threads that hold devices end, others take their places
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) threads.emplace_back([&, t] { sums[round * 2 + t] = frames(100 * t + round, 9, -1); });
    for (auto& thread : threads) thread.join();
  }
  for (unsigned s : sums) printf("%u\n", s);
}
