// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element intervals and sets of them. Pure values, std only. Units: elements of one array.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "muster/cap/small_vector.h"

namespace muster::cap {

// Half-open [lo, hi); empty when hi <= lo.
struct Interval {
  std::int64_t lo = 0, hi = 0;
  [[nodiscard]] bool empty() const { return hi <= lo; }
  [[nodiscard]] std::int64_t size() const { return empty() ? 0 : hi - lo; }
  // The empty interval is in every one.
  [[nodiscard]] bool contains(const Interval& other) const {
    return other.empty() || (lo <= other.lo && other.hi <= hi);
  }
  // {0, 0} when they have nothing in common.
  [[nodiscard]] Interval intersect(const Interval& other) const {
    const Interval common{lo > other.lo ? lo : other.lo, hi < other.hi ? hi : other.hi};
    return common.empty() ? Interval{} : common;
  }
  [[nodiscard]] Interval hull(const Interval& other) const;  // of the non-empty ones
  auto operator<=>(const Interval&) const = default;
};

// Sorted, disjoint, non-adjacent, non-empty intervals: equal sets compare equal.
class IntervalSet {
 public:
  IntervalSet() = default;
  IntervalSet(std::initializer_list<Interval> intervals);
  explicit IntervalSet(Interval interval);
  // From intervals in any order that may overlap.
  [[nodiscard]] static IntervalSet of(std::vector<Interval> intervals);

  void add(Interval interval);
  void add(const IntervalSet& other);
  void subtract(Interval interval);
  void subtract(const IntervalSet& other);
  [[nodiscard]] IntervalSet intersect(Interval interval) const;
  [[nodiscard]] IntervalSet intersect(const IntervalSet& other) const;
  [[nodiscard]] bool overlaps(const IntervalSet& other) const;
  [[nodiscard]] bool contains(Interval interval) const;
  [[nodiscard]] bool empty() const { return intervals_.empty(); }
  [[nodiscard]] std::int64_t size() const;  // elements
  [[nodiscard]] Interval hull() const;
  using Intervals = SmallVector<Interval, 1>;
  [[nodiscard]] const Intervals& intervals() const { return intervals_; }
  auto begin() const { return intervals_.begin(); }
  auto end() const { return intervals_.end(); }
  [[nodiscard]] std::string toString() const;  // "[0,4) [8,12)"
  bool operator==(const IntervalSet&) const = default;

 private:
  Intervals intervals_;
};

}  // namespace muster::cap
