// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rivals of programs of one loop out of several share (bench/programs/one_loop.h).
#pragma once

#include "../programs/one_loop.h"
#include "opencl.h"

template <class Step>
static void timed(const Run& run, const OpenCl& cl, Step step) {
  step();
  cl.finish();
  const double start = secondsNow();
  for (int s = 0; s < run.steps; ++s) step();
  cl.finish();
  printTime(run.name, secondsNow() - start, run.steps);
}

template <class T>
static void printBuffer(const Run& run, const OpenCl& cl, cl_mem buffer, size_t count) {
  std::vector<T> data(count);
  cl.read(buffer, data);
  printResult(run, data.data(), count * sizeof(T));
}

static size_t blocks(int n, int each) { return ((size_t)n + each - 1) / each; }
