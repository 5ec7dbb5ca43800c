// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints arrays exactly: a short hash of the elements' bits and the first few of them, so that two builds of a program
// can be compared as text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

template <class T>
void fill(T* array, std::size_t count, unsigned seed = 1) {
  for (std::size_t i = 0; i < count; ++i) array[i] = static_cast<T>((i * 7919 + seed * 104729) % 97);
}

template <class T>
void report(const char* name, const T* array, std::size_t count) {
  std::uint64_t hash = 1469598103934665603u;
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(array);
  for (std::size_t i = 0; i < count * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
  std::printf("%s %016llx", name, static_cast<unsigned long long>(hash));
  for (std::size_t i = 0; i < count && i < 6; ++i) std::printf(" %.9g", static_cast<double>(array[i]));
  std::printf("\n");
}

template <class T>
void report(const char* name, const std::vector<T>& vector) {
  report(name, vector.data(), vector.size());
}

template <class T>
void report(const char* name, T value) {
  std::printf("%s %.17g\n", name, static_cast<double>(value));
}
