// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations cost unequally, each long enough for devices to claim blocks of it: what they write, and what
// later loops read, whoever had it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// So many steps that the compiler cannot leave out; the last value depends on all of them.
inline std::uint32_t work(std::uint32_t value, int steps) {
  for (int s = 0; s < steps; ++s) value = value * 1664525u + 1013904223u + (value >> 7);
  return value;
}

// Costs over three orders of magnitude, without a pattern.
inline int cost(int i, int most) { return most >> (work((std::uint32_t)i, 2) % 10); }

void print(const char* what, const std::vector<std::uint32_t>& a) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum = sum * 31 + a[i];
  std::printf("%-12s %016llx\n", what, (unsigned long long)sum);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1201, most = argc > 2 ? std::atoi(argv[2]) : 20000;
#pragma omp managed(a, b, c, rows)
  auto* a = new std::uint32_t[n]();
  auto* b = new std::uint32_t[n]();
  auto* c = new std::uint32_t[2 * n]();
  auto* rows = new std::uint32_t[(std::size_t)n * 16]();
  const auto show = [](const char* what, const std::uint32_t* p, std::size_t count) {
    print(what, std::vector<std::uint32_t>(p, p + count));
  };

#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) a[i] = work((std::uint32_t)i, cost(i, most));
  show("dynamic", a, n);

  // What was claimed is read where others claim it, and changed in place.
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) b[i] = work(a[i] ^ a[(i + n / 3) % n], i % 1500 * 8);
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < n; ++i) a[i] = work(a[i] + b[i], cost(n - i, most));
  show("in place", a, n);
  show("guided", b, n);

  // Conditions, strides and loops that run downwards.
#pragma omp parallel for schedule(dynamic)
  for (int i = n - 1; i >= 0; --i)
    if (a[i] % 3 != 0) b[i] = work(a[i], cost(i, most));
  show("conditional", b, n);
#pragma omp parallel for schedule(dynamic)
  for (int i = 1; i < 2 * n; i += 2) c[i] = work((std::uint32_t)i, (i % 97) * 40);
  show("every other", c, 2 * n);
  // Neighbours, some of which another device has.
#pragma omp parallel for schedule(guided)
  for (int i = 1; i < n - 1; ++i) c[i] = work(b[i - 1] + b[i] + b[i + 1], cost(i, most));
  show("neighbours", c, 2 * n);

  // Rows, and a triangle of them.
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 16; ++j) rows[(std::size_t)i * 16 + j] = work(a[i] + (std::uint32_t)j, cost(i, most / 8));
  show("rows", rows, (std::size_t)n * 16);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i % 1500; ++j) a[i] = work(a[i] + b[j], 12);
  show("triangle", a, n);

  // Results, of all iterations and of the last one. The sums are whole numbers. (Without `monotonic`, libomp 19 loses
  // the last one.)
  std::uint64_t sum = 1;
  std::uint32_t least = ~0u;
  double mean = 0;
  int where = -1;
#pragma omp parallel for schedule(monotonic : dynamic) reduction(+ : sum, mean) reduction(min : least) \
    lastprivate(where)
  for (int i = 0; i < n; ++i) {
    const std::uint32_t value = work(a[i], cost(i, most));
    sum += value;
    mean += value % 1000;
    if (value < least) least = value;
    where = (int)(value % 1000) + i;
  }
  std::printf("results      %llu %u %.1f %d\n", (unsigned long long)sum, least, mean, where);

  // The same loop again and again, with the host between.
  for (int step = 0; step < 5; ++step) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i) b[i] = work(a[i] + b[i], cost(i + step, most / 2));
    b[step * n / 5] += 1;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += b[n - 1 - i];
  }
  show("steps", a, n);
  delete[] a;
  delete[] b;
  delete[] c;
  delete[] rows;
  return 0;
}
