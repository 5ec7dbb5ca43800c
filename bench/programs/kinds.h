// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kinds.cpp and its rival kinds_opencl.cpp share: the loops and their inputs.
#pragma once

#include "one_loop.h"

struct Particle {
  float x, y, z, vx, vy, vz, m, q;
};

void rows(const Run& run), lattice(const Run& run), median(const Run& run), transpose(const Run& run);
void gray(const Run& run), fir(const Run& run), particles(const Run& run), mandelbrot(const Run& run);
void sparse(const Run& run);

inline const std::vector<Loop> kinds = {{"rows", 300, 46340, rows},
                                        {"lattice", 100, 15446, lattice},
                                        {"median", 300, 46340, median},
                                        {"transpose", 300, 46340, transpose},
                                        {"gray", 100003, 700000000, gray},
                                        {"fir", 100003, 2000000000, fir},
                                        {"particles", 10007, 1000000000, particles},
                                        {"mandelbrot", 200, 46340, mandelbrot},
                                        {"sparse", 10007, 79000000, sparse}};

// Bytes of images: whole words, so that the checksum has all of them.
inline size_t wholeWords(size_t bytes) { return (bytes + 3) / 4 * 4; }

inline double latticeWeight(int k) { return k == 0 ? 4.0 / 9 : k < 5 ? 1.0 / 9 : 1.0 / 36; }

inline Particle particle(size_t i) {
  return {fraction(8 * i) * 4 - 2,    fraction(8 * i + 1) * 4 - 2, fraction(8 * i + 2) * 4 - 2,
          fraction(8 * i + 3) - 0.5f, fraction(8 * i + 4) - 0.5f,  fraction(8 * i + 5) - 0.5f,
          fraction(8 * i + 6) + 1,    fraction(8 * i + 7) - 0.5f};
}

// The points of a cube of `edge` points a side that fit into n rows, and entry k of 27 in a row: a point's neighbour.
inline int edgeOf(int n) {
  int edge = 1;
  while ((long)(edge + 1) * (edge + 1) * (edge + 1) <= n) ++edge;
  return edge;
}
inline int neighbour(int row, int k, int edge, int n) {
  int at = row + ((k / 9 - 1) * edge + k / 3 % 3 - 1) * edge + k % 3 - 1;
  while (at < 0) at += n;
  while (at >= n) at -= n;
  return at;
}
