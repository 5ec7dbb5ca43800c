// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with `!=` that move away from their bounds, or whose variables would wrap on their way, have no iterations:
// compilers count them as those with `<` or `>`.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl %t.muster | diff %t.expected -
#include <cstdio>

template <class V, class B>
static void run(const char *name, V low, B high, int *a, bool isDown = false) {
  for (int i = 0; i < 64; ++i) a[i] = 0;
  if (isDown) {
#pragma omp parallel for
    for (V i = low; i != high; --i) a[i & 63] = (int)(i * 5);
  } else {
#pragma omp parallel for
    for (V i = low; i != high; ++i) a[i & 63] = (int)(i * 3);
  }
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) sum = sum * 31 + (unsigned)a[i];
  std::printf("%s %u\n", name, sum);
}

int main(int argc, char **argv) {
  const int one = argc;
#pragma ompx managed(a)
  int *a = new int[64];
  run<unsigned, unsigned>("unsigned", one + 9, one + 29, a);
  run<unsigned, unsigned>("unsigned, away", one + 29, one + 9, a);
  run<unsigned, unsigned>("unsigned, past zero", -9u - one, one + 9, a);
  run<unsigned, unsigned>("unsigned, down", one + 29, one + 9, a, true);
  run<unsigned, unsigned>("unsigned, down past zero", one + 9, -9u - one, a, true);
  run<int, int>("int", one - 20, one + 5, a);
  run<int, int>("int, away", one + 5, one - 20, a);
  run<int, int>("int, down", one + 5, one - 20, a, true);
  run<unsigned char, int>("byte past its limit", 249 + one, 4 + one, a);
  run<unsigned long, unsigned long>("long past zero", -9ul - one, one + 9, a);
  run<int, unsigned>("signs", one - 6, one + 9u, a);
}
