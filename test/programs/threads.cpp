// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel loops that several threads launch at once, from inside of a parallel loop over shots: their own arrays and
// shared ones, results of all kinds, host code in between, arrays that grow, and exceptions.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

inline std::uint32_t mix(std::uint32_t value) { return (value ^ (value >> 15)) * 0x85ebca6bu + 12345u; }

struct Outcome {
  std::uint64_t sum = 0, least = 0, last = 0, host = 0;
};

void step(const std::uint32_t* from, std::uint32_t* to, const std::uint32_t* table, int n, int tables) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) to[i] = mix(from[i] + from[i > 0 ? i - 1 : 0]) ^ table[(i * 7) % tables];
}

std::uint64_t sumOf(const std::uint32_t* a, int n) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
  return sum;
}

// A reduction and a value of the last iteration in one loop.
void ends(const std::uint32_t* a, int n, Outcome& outcome) {
  std::uint32_t least = ~0u, last = 0;
#pragma omp parallel for reduction(min : least) lastprivate(last)
  for (int i = 0; i < n; ++i) {
    last = a[i];
    if (a[i] < least) least = a[i];
  }
  outcome.least += least;
  outcome.last += last;
}

Outcome shoot(int shot, int n, int steps, const std::uint32_t* table, int tables, std::uint32_t* pictures) {
  n += shot * 37 % 101;
#pragma omp managed(a, b)
  std::vector<std::uint32_t> a(n), b(n);
  Outcome outcome;
  for (int i = 0; i < n; ++i) a[i] = mix(i + shot);
  for (int s = 0; s < steps; ++s) {
    step(a.data(), b.data(), table, n, tables);
    a.swap(b);
    if (s % 5 == 2) outcome.sum = outcome.sum * 31 + sumOf(a.data(), n);
    if (s % 7 == 3) ends(a.data(), n, outcome);
    if (s % 11 == 4) outcome.host += a[n / 2]++;  // the host's, between two launches
    if (s % 13 == 5) {
      a.resize(a.size() + 64, s);
      b.resize(a.size());
      n = (int)a.size();
    }
  }
  // Each shot has a part of one array.
  std::uint32_t* const picture = pictures + shot * 64;
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) picture[i] = a[i] + table[i];
  if (shot % 4 == 3) throw std::runtime_error("a shot ends so");
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  const int shots = argc > 1 ? std::atoi(argv[1]) : 12, n = argc > 2 ? std::atoi(argv[2]) : 3000;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 40, tables = 501;
#pragma omp managed(table, pictures)
  std::vector<std::uint32_t> table(tables), pictures((std::size_t)shots * 64);
#pragma omp parallel for
  for (int i = 0; i < tables; ++i) table[i] = mix(i);

  // Twice: the second time all devices are there from the first launch on.
  for (int round = 0; round < 2; ++round) {
    std::vector<Outcome> outcomes(shots);
    int thrown = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : thrown)
    for (int shot = 0; shot < shots; ++shot) {
      try {
        outcomes[shot] = shoot(shot, n, steps + shot % 5 * 10, table.data(), tables, pictures.data());
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    }
    for (int shot = 0; shot < shots; ++shot)
      std::printf("%d %016llx %llu %llu %llu\n", shot, (unsigned long long)outcomes[shot].sum,
                  (unsigned long long)outcomes[shot].least, (unsigned long long)outcomes[shot].last,
                  (unsigned long long)outcomes[shot].host);
    std::printf("%d ended early, pictures %llx\n", thrown, (unsigned long long)sumOf(pictures.data(), shots * 64));
    // What threads wrote is read by a loop on all devices, and changed.
#pragma omp parallel for
    for (int i = 0; i < shots * 64; ++i) pictures[i] = mix(pictures[i]);
  }
  std::uint64_t sum = 0;
  for (const std::uint32_t p : pictures) sum = sum * 31 + p;
  std::printf("%016llx\n", (unsigned long long)sum);
  return 0;
}
