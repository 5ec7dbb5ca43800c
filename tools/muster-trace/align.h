// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How clocks of several hosts stand to each other, by calls that all processes of a program make together.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "intervals.h"

namespace muster::trace {

// By their number: when this process was in calls from which none comes back before all have begun.
using JointCalls = std::unordered_map<std::uint32_t, Interval>;

// What to add to the times of each process, so that they are those of the first one. A process may not come back from a
// joint call before another one has begun it: each such call bounds what the clocks differ by, from both sides. 0 where
// the bounds allow it: clocks that are kept by NTP agree better than calls tell. Otherwise their middle.
[[nodiscard]] std::vector<std::int64_t> clockDifferences(const std::vector<JointCalls>& processes);

}  // namespace muster::trace
