// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access maps: which elements of an array a chunk of a launch reads and writes (design, section 3). Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/cap/region.h"

namespace muster::cap {

// One dimension of the NDRange: x = first + k * step, k in [0, count). step != 0.
struct Dim {
  std::int64_t first = 0, step = 1, count = 0;
  bool operator==(const Dim&) const = default;
};

// sum(coefficients[v] * x_v) + constant over a launch's variables: its dims, then its inner variables.
struct AffineForm {
  std::vector<std::int64_t> coefficients;
  std::int64_t constant = 0;
  bool operator==(const AffineForm&) const = default;
};

// A loop variable inside the body: takes every value in [smallest, largest] (none if largest < smallest);
// the bounds use earlier variables only. With a divisor beyond 1, both bounds are divided by it and rounded down: i / 2
// is an inner variable from i to i by 2. A divisor below 1 says that nothing is known.
struct InnerVariable {
  AffineForm smallest, largest;
  std::int64_t divisor = 1;
  bool operator==(const InnerVariable&) const = default;
};

// update: `x = x op value` whose result is not used (an atomic update, an element of an array reduction).
enum class AccessMode : std::uint8_t { read, write, update };

// The operations of updates; the order is that of cdm::ResultKind.
enum class UpdateOp : std::uint8_t { add, mul, bitAnd, bitOr, bitXor, logAnd, logOr, min, max };

struct Access {
  std::uint16_t array = 0;  // parameter number
  AccessMode mode = AccessMode::read;
  bool unbounded = false;       // the whole array; `index` is ignored
  bool conditional = false;     // may not happen in every iteration
  bool atomic = false;          // an atomic read or write: that others write the element too is no error
  bool ordered = false;         // its value depends on the order of all updates (capture): one device must run all
  bool partial = false;         // a write of a part of an element only: merges, which know whole ones, cannot join it
  UpdateOp op = UpdateOp::add;  // of an update
  std::uint32_t line = 0;
  AffineForm index;  // element index relative to the pointer that was passed
  bool operator==(const Access&) const = default;
};

// The part of a launch's iteration space that matters here: all dims, dims[0] cut to [lo, hi).
struct IterationSpace {
  std::vector<Dim> dims;
  std::vector<InnerVariable> inner;
  bool operator==(const IterationSpace&) const = default;
};

// The elements of an access. Never too small. `exact`: precisely these elements are touched, each of them, in
// every execution; otherwise the set is an upper bound (a hull, a condition, an overflow).
struct AccessRegion {
  IntervalSet elements;
  bool exact = false;
};

// Elements that iterations [lo, hi) of dims[0] touch, clamped to [0, count) after adding `offset` (elements
// between the array's start and the pointer that was passed). Affine rows that are not dense become one
// interval each while there are at most `maxIntervals`, then one hull. Arithmetic saturates: an overflow
// gives the whole array.
[[nodiscard]] AccessRegion regionOf(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                                    std::int64_t offset, std::int64_t count, std::size_t maxIntervals = 4096);

}  // namespace muster::cap
