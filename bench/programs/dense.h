// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dense.cpp and its rival dense_opencl.cpp share: the loops and their inputs.
#pragma once

#include "one_loop.h"

constexpr int Channels = 16, Centres = 64, Dimensions = 16, Equations = 128;

void channels(const Run& run), nearest(const Run& run), gram(const Run& run), tridiagonal(const Run& run);
void softmax(const Run& run), recurrence(const Run& run), distances(const Run& run), cheapest(const Run& run);

inline const std::vector<Loop> dense = {
    {"channels", 60, 11500, channels},    {"nearest", 1003, 100000000, nearest},
    {"gram", 150, 46340, gram},           {"tridiagonal", 203, 16000000, tridiagonal},
    {"softmax", 200, 46340, softmax},     {"recurrence", 200, 46340, recurrence},
    {"distances", 150, 46340, distances}, {"cheapest", 150, 46340, cheapest}};

inline float weight(size_t i) { return fraction(i) - 0.5f; }

// Off-diagonal and diagonal entries of systems that elimination without a search for pivots solves.
inline double beside(size_t i) { return fraction(i) - 0.5; }
inline double diagonal(size_t i) { return 2 + fraction(i); }

// Results of additions in another order: their sum and largest one, to as many digits as stay.
inline void printAbout(const Run& run, const float* data, size_t count) {
  double sum = 0;
  float most = 0;
  for (size_t i = 0; i < count; ++i) sum += data[i], most = data[i] > most ? data[i] : most;
  printf("%s: size %d, sum %.4g, largest %.3g\n", run.name, run.size, sum, most);
}
