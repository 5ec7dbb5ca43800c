// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kinds.cpp and its rival kinds_opencl.cpp share: the command line, the loops' inputs, and what is printed.
#pragma once

#include "sample.h"

struct Particle {
  float x, y, z, vx, vy, vz, m, q;
};

// One run of a program, `kinds NAME [SIZE [STEPS]]`, and the loops, which each of the two programs has.
struct Run {
  const char* name;
  int size, steps;
};
void rows(const Run& run), lattice(const Run& run), median(const Run& run), transpose(const Run& run);
void gray(const Run& run), fir(const Run& run), particles(const Run& run), mandelbrot(const Run& run);
void sparse(const Run& run);

inline int runLoop(int argc, char** argv) {
  static const struct {
    const char* name;
    long size, most;  // the default, and where indices are still ints
    void (*loop)(const Run&);
  } kinds[] = {{"rows", 300, 46340, rows},
               {"lattice", 100, 15446, lattice},
               {"median", 300, 46340, median},
               {"transpose", 300, 46340, transpose},
               {"gray", 100003, 700000000, gray},
               {"fir", 100003, 2000000000, fir},
               {"particles", 10007, 1000000000, particles},
               {"mandelbrot", 200, 46340, mandelbrot},
               {"sparse", 10007, 79000000, sparse}};
  for (const auto& kind : kinds)
    if (argc > 1 && strcmp(argv[1], kind.name) == 0) {
      kind.loop({kind.name, (int)numberArgument(argc, argv, 2, "the size", kind.size, 1, kind.most),
                 (int)numberArgument(argc, argv, 3, "steps", 2, 1, 1000000)});
      return 0;
    }
  fprintf(stderr, "usage: %s NAME [SIZE [STEPS]]; names are", argv[0]);
  for (const auto& kind : kinds) fprintf(stderr, " %s", kind.name);
  fprintf(stderr, "\n");
  return 2;
}

// Bytes of images: whole words, so that the checksum has all of them.
inline size_t wholeWords(size_t bytes) { return (bytes + 3) / 4 * 4; }

inline void printResult(const Run& run, const void* data, size_t bytes) {
  printf("%s: size %d, checksum %016llx\n", run.name, run.size, checksum(data, bytes));
}

// Inputs: numbers that look random, from 0 to below 65536 and from 0 to below 1.
inline unsigned mixed(size_t i) { return (unsigned)i * 2654435761u >> 16; }
inline float fraction(size_t i) { return (float)mixed(i) / 65536.0f; }

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
