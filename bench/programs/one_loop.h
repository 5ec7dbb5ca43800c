// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs of one loop out of several share with their rivals: the command line, `PROGRAM NAME [SIZE [STEPS]]`,
// inputs, and what is printed.
#pragma once

#include <vector>

#include "sample.h"

struct Run {
  const char* name;
  int size, steps;
};

struct Loop {
  const char* name;
  long size, most;  // the default, and where indices are still ints
  void (*run)(const Run&);
};

inline int runLoop(int argc, char** argv, const std::vector<Loop>& loops) {
  for (const Loop& loop : loops)
    if (argc > 1 && strcmp(argv[1], loop.name) == 0) {
      loop.run({loop.name, (int)numberArgument(argc, argv, 2, "the size", loop.size, 1, loop.most),
                (int)numberArgument(argc, argv, 3, "steps", 2, 1, 1000000)});
      return 0;
    }
  fprintf(stderr, "usage: %s NAME [SIZE [STEPS]]; names are", argv[0]);
  for (const Loop& loop : loops) fprintf(stderr, " %s", loop.name);
  fprintf(stderr, "\n");
  return 2;
}

// One step more, which is not timed, comes first.
template <class Step>
void timed(const Run& run, Step step) {
  step();
  const double start = secondsNow();
  for (int s = 0; s < run.steps; s++) step();
  printTime(run.name, secondsNow() - start, run.steps);
}

inline void printResult(const Run& run, const void* data, size_t bytes) {
  printf("%s: size %d, checksum %016llx\n", run.name, run.size, checksum(data, bytes));
}

// Inputs: numbers that look random, from 0 to below 65536 and from 0 to below 1.
inline unsigned mixed(size_t i) { return (unsigned)i * 2654435761u >> 16; }
inline float fraction(size_t i) { return (float)mixed(i) / 65536.0f; }
