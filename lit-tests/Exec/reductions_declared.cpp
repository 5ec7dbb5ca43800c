// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions by operators of the user's, over structs, pairs and numbers. All loops are launched (strict).
//
// RUN: %plain -O1 %s -o %t.plain && env OMP_NUM_THREADS=1 %t.plain > %t.expected
// RUN: %muster-link -O1 -Werror -fplugin-arg-muster-strict %s -o %t.muster && %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
#include <cstdio>
#include <utility>

constexpr int n = 1003;
#pragma ompx managed(a)
static double a[n];

struct Best {
  double value;
  int place;
};
#pragma omp declare reduction(best : Best : omp_out = omp_in.value < omp_out.value || \
    (omp_in.value == omp_out.value && omp_in.place < omp_out.place) ? omp_in : omp_out) \
    initializer(omp_priv = Best{1e30, -1})

struct Bounds {
  double low, high;
  long count;
  void add(double v) {
    if (v < low) low = v;
    if (v > high) high = v;
    ++count;
  }
  void add(const Bounds &other) {
    if (other.low < low) low = other.low;
    if (other.high > high) high = other.high;
    count += other.count;
  }
};
#pragma omp declare reduction(bounds : Bounds : omp_out.add(omp_in)) initializer(omp_priv = {1e30, -1e30, 0})

struct Vec {
  long x, y;
  Vec &operator+=(const Vec &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
};
#pragma omp declare reduction(+ : Vec : omp_out += omp_in) initializer(omp_priv = Vec{0, 0})

static void pick(std::pair<long, int> &into, const std::pair<long, int> &from) {
  if (from.first > into.first || (from.first == into.first && from.second < into.second)) into = from;
}
#pragma omp declare reduction(most : std::pair<long, int> : pick(omp_out, omp_in)) initializer(omp_priv = omp_orig)

#pragma omp declare reduction(modular : int : omp_out = (omp_out + omp_in) % 1009) initializer(omp_priv = 0)

int main() {
  for (int i = 0; i < n; ++i) a[i] = (i * 37 + 11) % 101;
  Best least{1e30, -1};
#pragma omp parallel for reduction(best : least)
  for (int i = 0; i < n; ++i)
    if (a[i] < least.value) {
      least.value = a[i];
      least.place = i;
    }
  std::printf("%g %d\n", least.value, least.place);

  Bounds all = {1e30, -1e30, 0};
  all.add(500);
#pragma omp parallel for reduction(bounds : all)
  for (int i = 0; i < n; ++i) all.add(a[i]);
  std::printf("%g %g %ld\n", all.low, all.high, all.count);

  Vec sum{7, 8};
  int rest = 3;
#pragma omp parallel for reduction(+ : sum) reduction(modular : rest)
  for (int i = 0; i < n; ++i) {
    sum += Vec{i, static_cast<long>(a[i])};
    rest = (rest + i) % 1009;
  }
  std::printf("%ld %ld %d\n", sum.x, sum.y, rest);

  std::pair<long, int> top(50, -1);
#pragma omp parallel for reduction(most : top)
  for (int i = 0; i < n; ++i)
    // A thread that starts when others are done begins with their result: clang's omp_orig is the variable itself.
    if (static_cast<long>(a[i]) > top.first || (static_cast<long>(a[i]) == top.first && i < top.second)) {
      top.first = static_cast<long>(a[i]);
      top.second = i;
    }
  std::printf("%ld %d\n", top.first, top.second);
  const int none = top.second - top.second;
#pragma omp parallel for collapse(2) reduction(best : least)
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < none; ++j) least.value = a[i + j];
  std::printf("%g %d\n", least.value, least.place);
}
