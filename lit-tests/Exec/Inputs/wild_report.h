// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints arrays of any arithmetic type exactly, long double and bool included: a hash of the values as doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <class T>
void fill(T* array, std::size_t count, unsigned seed = 1) {
  for (std::size_t i = 0; i < count; ++i) array[i] = static_cast<T>((i * 7919 + seed * 104729) % 97);
}

template <class T>
void report(const char* name, const T* array, std::size_t count) {
  std::uint64_t hash = 1469598103934665603u;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(array[i]);
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  std::printf("%s %016llx", name, static_cast<unsigned long long>(hash));
  for (std::size_t i = 0; i < count && i < 6; ++i) std::printf(" %.9g", static_cast<double>(array[i]));
  std::printf("\n");
}
