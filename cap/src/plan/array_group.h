// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a launch that are the same array, and what the planner does once for each array.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/cap/planner.h"

namespace muster::cap {

struct ArrayGroup {
  std::uint32_t array = 0;  // global id
  std::uint32_t elemSize = 0;
  std::vector<std::uint16_t> parameters;  // ascending, at least one
  ArrayStateRef state;
};

// One parameter's set as it is, several ones' union in `scratch`.
[[nodiscard]] const IntervalSet& unionOf(const std::vector<IntervalSet>& sets, const ArrayGroup& array,
                                         IntervalSet& scratch);

struct Moves {
  std::vector<Copy> copies;
  std::vector<Spread> spreads;
};

// The copies that bring to each chunk's memory what it reads of the array.
[[nodiscard]] Moves planCopies(const std::vector<Chunk>& chunks, const ArrayGroup& array);

// Appends to `plan` the copies that bring to each chunk's memory what it reads, and the array's state after it.
// `merge`: of this array, nullptr where no two chunks write the same elements.
void planTransfers(const std::vector<Chunk>& chunks, const ArrayGroup& array, const Merge* merge, Plan& plan);

}  // namespace muster::cap
