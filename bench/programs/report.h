// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the benchmark programs share: a clock, a checksum, and the one line that bench/run.py reads.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#ifdef _OPENMP
#include <omp.h>
#else
#include <chrono>
#endif

// Under Muster the OpenMP clock waits for the launches before it.
inline double now() {
#ifdef _OPENMP
  return omp_get_wtime();
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

// Changes with any bit of the data (FNV-1a over 32-bit words; bytes must be a multiple of 4).
inline uint64_t checksum(const void* data, size_t bytes) {
  uint64_t hash = 14695981039346656037ull;
  const char* at = (const char*)data;
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word;
    memcpy(&word, at + i, 4);
    hash = (hash ^ word) * 1099511628211ull;
  }
  return hash;
}

// steps took `seconds` and moved `bytesPerStep` each (0 if that is no measure of the program).
inline void report(const char* name, double seconds, int steps, double bytesPerStep, uint64_t sum) {
  printf("{\"name\": \"%s\", \"seconds_per_step\": %.9g, \"gb_per_s\": %.6g, \"checksum\": \"%016llx\"}\n", name,
         seconds / steps, bytesPerStep * steps / seconds / 1e9, (unsigned long long)sum);
}
