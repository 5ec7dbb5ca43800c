// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters of inner loops that are declared in the body, in front of their loops, as C89 has them: where such a loop
// becomes a dimension of the launch, its counter is the dimension's. The plain program is the oracle.
//
// RUN: %plain-c -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %cc-link -O1 -Wall -Wextra -Wno-uninitialized -Werror -fplugin-arg-muster-print=facts %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --check-prefix=FACTS %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <stdio.h>

enum { LAYERS = 5, ROWS = 6, COLUMNS = 7 };

#pragma ompx managed(from, to)
static float from[LAYERS * ROWS * COLUMNS], to[LAYERS * ROWS * COLUMNS];

static void report(const char *name) {
  double sum = 0;
  for (int i = 0; i < LAYERS * ROWS * COLUMNS; i++) sum += to[i] * (1 + i % 13);
  printf("%s %.9g\n", name, sum);
}

int main(void) {
  int z;
  for (int i = 0; i < LAYERS * ROWS * COLUMNS; i++) from[i] = i * 7 % 19;

  // FACTS: loop [[#@LINE+3]] in main
  // FACTS: dim y: int {{.*}}, found independent
  // FACTS: dim x: int {{.*}}, found independent
#pragma omp parallel for
  for (z = 0; z < LAYERS; z++) {
    int y;
    for (y = 0; y < ROWS; y++) {
      int x, c, w;
      for (x = 0; x < COLUMNS; x++) {
        c = x + y * COLUMNS + z * ROWS * COLUMNS;
        w = x == 0 ? c : c - 1;
        to[c] = from[c] + 2 * from[w] + y;
      }
    }
  }
  report("nest");

#pragma omp parallel for
  for (z = 0; z < LAYERS; z++) {
    int y, x;
    for (y = 1; y < ROWS - 1; y++)
      for (x = COLUMNS - 1; x >= 0; x--) to[(z * ROWS + y) * COLUMNS + x] += from[(z * ROWS + y) * COLUMNS + x] * x;
  }
  report("together");

  // The counters have values before their loops: these loops are no dimensions.
  // FACTS: loop [[#@LINE+3]] in main
  // FACTS: dim z: int
  // FACTS-NOT: dim
#pragma omp parallel for
  for (z = 0; z < LAYERS; z++) {
    int y = 3;
    float scale = y * 0.5f;
    for (y = 0; y < ROWS; y++) to[z * ROWS + y] = from[z * ROWS + y] * scale;
  }
  report("value");

  // FACTS: loop [[#@LINE+4]] in main
  // FACTS: dim z: int
  // FACTS: dim y: int
  // FACTS-NOT: dim
#pragma omp parallel for
  for (z = 0; z < LAYERS; z++) {
    int x = 2, y;
    float first = x + 1;
    for (y = 0; y < ROWS; y++)
      for (x = 0; x < COLUMNS; x++) to[(z * ROWS + y) * COLUMNS + x] = from[(z * ROWS + y) * COLUMNS + x] - first;
  }
  report("outer");

  // FACTS: loop [[#@LINE+3]] in main
  // FACTS: dim z: int
  // FACTS-NOT: dim
#pragma omp parallel for
  for (z = 0; z < LAYERS; z++) {
    int y, *behind = &y;
    for (y = 0; y < ROWS; y++) to[z * ROWS + y] = from[z * ROWS + y] + *behind;
  }
  report("address");
  return 0;
}
