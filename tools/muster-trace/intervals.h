// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of times: what somebody did at all, however many events say so.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::trace {

struct Interval {
  std::int64_t begin = 0, end = 0;
};
using Intervals = std::vector<Interval>;

// Sorted and without overlaps. The other functions want such sets.
[[nodiscard]] Intervals united(Intervals intervals);
[[nodiscard]] Intervals without(const Intervals& from, const Intervals& what);
[[nodiscard]] std::int64_t length(const Intervals& intervals);

}  // namespace muster::trace
