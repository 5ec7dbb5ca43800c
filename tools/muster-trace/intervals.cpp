// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "intervals.h"

#include <algorithm>

namespace muster::trace {

Intervals united(Intervals intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  Intervals all;
  for (const Interval& next : intervals) {
    if (next.end <= next.begin) continue;
    if (all.empty() || next.begin > all.back().end) {
      all.push_back(next);
    } else {
      all.back().end = std::max(all.back().end, next.end);
    }
  }
  return all;
}

Intervals without(const Intervals& from, const Intervals& what) {
  Intervals rest;
  auto hole = what.begin();
  for (Interval piece : from) {
    while (hole != what.end() && hole->end <= piece.begin) ++hole;
    for (auto next = hole; next != what.end() && next->begin < piece.end; ++next) {
      if (next->begin > piece.begin) rest.push_back({piece.begin, next->begin});
      piece.begin = std::max(piece.begin, next->end);
    }
    if (piece.begin < piece.end) rest.push_back(piece);
  }
  return rest;
}

std::int64_t length(const Intervals& intervals) {
  std::int64_t sum = 0;
  for (const Interval& interval : intervals) sum += interval.end - interval.begin;
  return sum;
}

}  // namespace muster::trace
