// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element intervals and sets of them. Pure values, std only. Units: elements of one array.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
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

// Sorted, disjoint, non-adjacent, non-empty intervals. Many equal rows with one stride, as columns of a matrix, are
// kept as one row and its repetitions: sets of them take little memory, and are compared, measured and searched at
// once.
class IntervalSet {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Interval;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Interval;

    Iterator(const Interval* first, std::int64_t stride, std::int64_t at) : first_(first), stride_(stride), at_(at) {}
    Interval operator*() const {
      if (stride_ == 0) return first_[at_];
      return {first_->lo + at_ * stride_, first_->hi + at_ * stride_};
    }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }  // of one set

   private:
    const Interval* first_;
    std::int64_t stride_;  // 0: each interval is written out
    std::int64_t at_;
  };

  IntervalSet() = default;
  IntervalSet(std::initializer_list<Interval> intervals);
  explicit IntervalSet(Interval interval);
  // From intervals in any order that may overlap.
  [[nodiscard]] static IntervalSet of(std::vector<Interval> intervals);
  // `row`, not empty, `count` times, each `stride` behind the one before; stride > row.size().
  [[nodiscard]] static IntervalSet repeated(Interval row, std::int64_t stride, std::int64_t count);

  void add(Interval interval);
  void add(const IntervalSet& other);
  void subtract(Interval interval);
  void subtract(const IntervalSet& other);
  [[nodiscard]] IntervalSet intersect(Interval interval) const;
  [[nodiscard]] IntervalSet intersect(const IntervalSet& other) const;
  [[nodiscard]] bool overlaps(const IntervalSet& other) const;
  [[nodiscard]] bool contains(Interval interval) const;
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::int64_t size() const;  // elements
  [[nodiscard]] Interval hull() const;
  [[nodiscard]] std::size_t intervals() const {  // how many
    return isRepeated() ? static_cast<std::size_t>(-list_[1].hi) : list_.size();
  }
  [[nodiscard]] Iterator begin() const { return {list_.begin(), isRepeated() ? list_[1].lo : 0, 0}; }
  [[nodiscard]] Iterator end() const { return {nullptr, 0, static_cast<std::int64_t>(intervals())}; }
  // Bytes outside of the object.
  [[nodiscard]] std::size_t allocated() const { return list_.allocated(); }
  [[nodiscard]] std::string toString() const;  // "[0,4) [8,12)"
  bool operator==(const IntervalSet& other) const {
    const bool few = list_.size() <= 1 || other.list_.size() <= 1;
    return few ? list_ == other.list_ : equals(other);
  }

 private:
  using List = SmallVector<Interval, 1>;
  struct Rows {
    Interval row;
    std::int64_t stride = 0, count = 0;
    [[nodiscard]] Interval at(std::int64_t k) const { return {row.lo + k * stride, row.hi + k * stride}; }
  };
  [[nodiscard]] bool isRepeated() const { return list_.size() == 2 && list_[1].hi < 0 && list_[1].lo > 0; }
  [[nodiscard]] Rows rows() const { return {list_[0], list_[1].lo, -list_[1].hi}; }
  [[nodiscard]] bool equals(const IntervalSet& other) const;
  void setRows(const Rows& rows);
  void writeOut();
  void findRows();
  bool addRows(const Rows& more);

  // All intervals, or a row and {stride, -count}, which no interval is.
  List list_;
};

}  // namespace muster::cap
