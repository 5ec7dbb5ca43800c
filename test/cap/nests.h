// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop nests for tests: short ways to write them, and the oracle that walks them one iteration at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <vector>

#include "muster/cap/planner.h"

namespace muster::cap {

// How GoogleTest shows intervals and sets.
inline void PrintTo(const Interval& interval, std::ostream* out) { *out << IntervalSet(interval).toString(); }
inline void PrintTo(const IntervalSet& set, std::ostream* out) { *out << '{' << set.toString() << '}'; }

}  // namespace muster::cap

namespace muster::cap::testing {

using Random = std::mt19937_64;

inline std::int64_t pick(Random& random, std::int64_t lo, std::int64_t hi) {
  return std::uniform_int_distribution<std::int64_t>(lo, hi)(random);
}

inline bool chance(Random& random, double probability) { return std::bernoulli_distribution(probability)(random); }

// for (x = lo; x < hi; ++x)
inline Dim loop(std::int64_t lo, std::int64_t hi) { return {lo, 1, hi > lo ? hi - lo : 0}; }

inline Access access(AccessMode mode, std::uint16_t array, std::vector<std::int64_t> coefficients,
                     std::int64_t constant) {
  Access result;
  result.array = array;
  result.mode = mode;
  result.line = 10u + array;
  result.index = {std::move(coefficients), constant};
  return result;
}

inline Access read(std::uint16_t array, std::vector<std::int64_t> coefficients, std::int64_t constant = 0) {
  return access(AccessMode::read, array, std::move(coefficients), constant);
}

inline Access write(std::uint16_t array, std::vector<std::int64_t> coefficients, std::int64_t constant = 0) {
  return access(AccessMode::write, array, std::move(coefficients), constant);
}

inline Access unbounded(AccessMode mode, std::uint16_t array) {
  Access result = access(mode, array, {}, 0);
  result.unbounded = true;
  return result;
}

// Whether an inner loop that the index does not need encloses the access: the access map does not say, so both
// must be right.
enum class Nesting { neededLoops, allLoops };

// Does the access need variable `v`: in its index, or in the bounds of an inner variable that it needs?
bool needs(const Access& access, const IterationSpace& space, std::size_t v);

// Calls visit(element index less the pointer's offset) for each time that the access happens in iterations [lo, hi).
void forEachTouch(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi, Nesting nesting,
                  const std::function<void(std::int64_t)>& visit);

// The elements touched inside [0, count); `outside`: whether some index was not.
std::set<std::int64_t> touched(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                               std::int64_t offset, std::int64_t count, Nesting nesting, bool* outside = nullptr);

IntervalSet asSet(const std::set<std::int64_t>& elements);

// A random nest: one to three dims, up to two inner variables, rectangular, triangular, empty ones.
IterationSpace randomSpace(Random& random, std::int64_t largestCount);

// All `count` elements are held by one memory.
inline ArrayStateRef at(std::int64_t count, MemoryId memory) {
  return std::make_shared<const ArrayState>(count, memory);
}

inline std::vector<DeviceSlot> equalDevices(std::uint32_t n) {
  std::vector<DeviceSlot> devices;
  for (std::uint32_t d = 0; d < n; ++d) devices.push_back({d, d, 1});
  return devices;
}

// A launch of kernel 77 over arrays 0, 1, ... of `counts` elements of 8 bytes.
inline LaunchSpec launch(std::vector<Dim> dims, std::vector<std::int64_t> counts, std::vector<Access> accesses) {
  LaunchSpec spec;
  spec.kernel = 77;
  spec.space.dims = std::move(dims);
  for (std::size_t p = 0; p < counts.size(); ++p)
    spec.arrays.push_back({static_cast<std::uint32_t>(p), 0, counts[p], 8});
  spec.accesses = std::move(accesses);
  return spec;
}

}  // namespace muster::cap::testing
