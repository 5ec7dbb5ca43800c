// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch asks of one memory. Shared by the sources of Residency only.
#pragma once

#include <cstdint>
#include <map>

#include "muster/cap/residency.h"

namespace muster::cap {

struct Residency::Demand {
  std::map<std::uint32_t, Interval> windows;  // by array, empty ones left out
  std::uint64_t windowBytes = 0;              // together
  std::uint64_t twins = 0;                    // bytes of contested elements
  double share = 0;                           // of the launch's iterations
  [[nodiscard]] std::uint64_t bytes() const { return windowBytes + twins; }
};

// The arrays of the launch's allocation blocks that it does not use itself.
struct Residency::Companions {
  std::uint64_t partitioned = 0, replicated = 0;  // bytes
  [[nodiscard]] bool none() const { return partitioned == 0 && replicated == 0; }
};

[[nodiscard]] inline std::uint64_t bytesOf(const Interval& elements, std::uint32_t elemSize) {
  return static_cast<std::uint64_t>(elements.size()) * elemSize;
}

}  // namespace muster::cap
