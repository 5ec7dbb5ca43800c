// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the devices' weights cut a number of rows, and which rows the iterations of a launch belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/cap/planner.h"
#include "region/wide.h"

namespace muster::cap {

// Integers in proportion to the weights: the same on all ranks. 0 for a device that takes no part.
[[nodiscard]] std::vector<std::int64_t> scaledWeights(const std::vector<DeviceSlot>& devices);

// Boundaries of [0, rows): weights.size() + 1 of them, ascending; aligned where there are rows enough.
[[nodiscard]] std::vector<std::int64_t> cutRows(std::int64_t rows, const std::vector<std::int64_t>& weights);

// Logical iteration k of dims[0] works on row floor((start + k * stride) / rowLength) of an array.
struct RowMap {
  Wide start = 0, stride = 1;  // elements; stride != 0
  Wide rowLength = 1;          // elements
  std::int64_t rows = 0;       // of the array

  [[nodiscard]] Wide rowOf(Wide k) const { return floorDivide(start + k * stride, rowLength); }
  // Iterations of [0, count) on rows before `row`: the first ones for a positive stride, the last ones else.
  [[nodiscard]] std::int64_t iterationsBefore(std::int64_t row, std::int64_t count) const;
};

// The rows that the cut follows, of an array or of the loop variable; none: the iterations themselves are cut.
[[nodiscard]] std::optional<RowMap> findAnchor(const LaunchSpec& spec);

}  // namespace muster::cap
