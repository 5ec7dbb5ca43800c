// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes of parts of elements that several iterations share: atomics and scatters to members run on one device, to
// whole elements they are merged. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster && %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
#include <cstdio>
#include <vector>

struct Body {
  float f[3];
  int hits;
  long sum;
};
struct Odd {
  float x, y, z;
};

int main() {
  const int n = 1013;
#pragma ompx managed(b)
  Body *b = new Body[n]();
#pragma ompx managed(k)
  int *k = new int[n];
#pragma ompx managed(o)
  std::vector<Odd> o(n);
  for (int i = 0; i < n; i++) k[i] = (i * 37 + 11) % n, b[i].sum = i;
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
      b[k[i] / 2].hits += i;
#pragma omp atomic
      b[k[i]].sum -= 2;
    }
    // A permutation: each element is written by one iteration, two members by two of them.
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      b[k[i]].f[0] += i;
      b[k[(i + 5) % n]].f[1] = t + i;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) o[k[i]] = {i * 0.5f, 1, b[i].f[0]};
#pragma omp parallel for
    for (int i = 0; i < n; i++) o[i].y += o[(i + 1) % n].x;
  }
  for (int i = 0; i < n; i++)
    printf("%d %ld %g %g %g %g %g\n", b[i].hits, b[i].sum, b[i].f[0], b[i].f[1], o[i].x, o[i].y, o[i].z);
}
