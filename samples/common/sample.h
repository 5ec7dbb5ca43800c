// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the samples share: command-line numbers, a clock, a checksum. Results go to standard output, which is the same
// in every run; times go to standard error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifdef _OPENMP
#include <omp.h>
#else
#include <chrono>
#endif

// Number `index` of the command line, or `otherwise`; ends the program when it is not a whole number in [least, most].
inline long numberArgument(int argc, char** argv, int index, const char* name, long otherwise, long least, long most) {
  if (index >= argc) return otherwise;
  char* end = nullptr;
  const long value = strtol(argv[index], &end, 10);
  if (end != argv[index] && *end == '\0' && value >= least && value <= most) return value;
  fprintf(stderr, "%s: argument %d, %s, is '%s': give a whole number from %ld to %ld\n", argv[0], index, name,
          argv[index], least, most);
  exit(2);
}

// Under Muster the OpenMP clock waits for the launches before it.
inline double secondsNow() {
#ifdef _OPENMP
  return omp_get_wtime();
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

inline void printTime(const char* name, double seconds, long steps) {
  fprintf(stderr, "%s: %.6g ms per step\n", name, seconds / (double)steps * 1e3);
}

// Changes with any bit of the data (FNV-1a over 32-bit words; what follows the last whole word does not count).
inline unsigned long long checksum(const void* data, size_t bytes) {
  unsigned long long hash = 14695981039346656037ull;
  const char* at = (const char*)data;
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word;
    memcpy(&word, at + i, 4);
    hash = (hash ^ word) * 1099511628211ull;
  }
  return hash;
}
