// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic. Set with set: one linear merge; set with interval: a binary search and a splice.
#include "muster/cap/region.h"

#include <algorithm>

namespace muster::cap {

namespace {

// First interval of a sorted range that ends at `position` or later (so it may touch what starts there).
template <class Iterator>
Iterator firstEndingAtOrAfter(Iterator begin, Iterator end, std::int64_t position) {
  return std::lower_bound(begin, end, position, [](const Interval& i, std::int64_t p) { return i.hi < p; });
}

// First interval that ends after `position`: the first that can share an element with [position, ...).
template <class Iterator>
Iterator firstEndingAfter(Iterator begin, Iterator end, std::int64_t position) {
  return std::upper_bound(begin, end, position, [](std::int64_t p, const Interval& i) { return p < i.hi; });
}

// Appends to a sorted list; `interval` starts at or after the last one's start.
void appendMerged(IntervalSet::Intervals& list, Interval interval) {
  if (!list.empty() && interval.lo <= list.back().hi) {
    list.back().hi = std::max(list.back().hi, interval.hi);
  } else {
    list.push_back(interval);
  }
}

}  // namespace

Interval Interval::hull(const Interval& other) const {
  if (empty()) return other.empty() ? Interval{} : other;
  if (other.empty()) return *this;
  return {std::min(lo, other.lo), std::max(hi, other.hi)};
}

IntervalSet::IntervalSet(std::initializer_list<Interval> intervals) : IntervalSet(of(intervals)) {}

IntervalSet::IntervalSet(Interval interval) {
  if (!interval.empty()) intervals_.push_back(interval);
}

IntervalSet IntervalSet::of(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.empty(); });
  if (!std::is_sorted(intervals.begin(), intervals.end())) std::sort(intervals.begin(), intervals.end());
  IntervalSet set;
  set.intervals_.reserve(intervals.size());
  for (const Interval& interval : intervals) appendMerged(set.intervals_, interval);
  return set;
}

void IntervalSet::add(Interval interval) {
  if (interval.empty()) return;
  if (intervals_.empty() || intervals_.back().lo <= interval.lo) {
    appendMerged(intervals_, interval);
    return;
  }
  const auto first = firstEndingAtOrAfter(intervals_.begin(), intervals_.end(), interval.lo);
  auto last = first;
  for (; last != intervals_.end() && last->lo <= interval.hi; ++last) interval = interval.hull(*last);
  if (first == last) {
    intervals_.insert(first, interval);
  } else {
    *first = interval;
    intervals_.erase(first + 1, last);
  }
}

void IntervalSet::add(const IntervalSet& other) {
  if (other.intervals_.size() <= 1) {
    if (!other.empty()) add(other.intervals_.front());
    return;
  }
  Intervals merged;
  merged.reserve(intervals_.size() + other.intervals_.size());
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() || b != other.intervals_.end()) {
    const bool takeA = b == other.intervals_.end() || (a != intervals_.end() && a->lo < b->lo);
    appendMerged(merged, takeA ? *a++ : *b++);
  }
  intervals_ = std::move(merged);
}

void IntervalSet::subtract(Interval interval) {
  if (interval.empty()) return;
  const auto first = firstEndingAfter(intervals_.begin(), intervals_.end(), interval.lo);
  auto last = first;
  Interval before, after;
  for (; last != intervals_.end() && last->lo < interval.hi; ++last) {
    if (last->lo < interval.lo) before = {last->lo, interval.lo};
    if (interval.hi < last->hi) after = {interval.hi, last->hi};
  }
  auto place = intervals_.erase(first, last);
  if (!after.empty()) place = intervals_.insert(place, after);
  if (!before.empty()) intervals_.insert(place, before);
}

void IntervalSet::subtract(const IntervalSet& other) {
  if (other.intervals_.size() <= 1) {
    if (!other.empty()) subtract(other.intervals_.front());
    return;
  }
  Intervals left;
  left.reserve(intervals_.size());
  auto cut = other.intervals_.begin();
  for (Interval rest : intervals_) {
    while (cut != other.intervals_.end() && cut->hi <= rest.lo) ++cut;
    for (; cut != other.intervals_.end() && cut->lo < rest.hi; ++cut) {
      if (rest.lo < cut->lo) left.push_back({rest.lo, cut->lo});
      rest.lo = cut->hi;
      if (rest.empty()) break;  // this cut may reach into the next interval
    }
    if (!rest.empty()) left.push_back(rest);
  }
  intervals_ = std::move(left);
}

IntervalSet IntervalSet::intersect(Interval interval) const {
  IntervalSet common;
  if (interval.empty()) return common;
  auto i = firstEndingAfter(intervals_.begin(), intervals_.end(), interval.lo);
  for (; i != intervals_.end() && i->lo < interval.hi; ++i) common.intervals_.push_back(i->intersect(interval));
  return common;
}

IntervalSet IntervalSet::intersect(const IntervalSet& other) const {
  IntervalSet common;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    const Interval both = a->intersect(*b);
    if (!both.empty()) common.intervals_.push_back(both);
    (a->hi < b->hi ? a : b)++;
  }
  return common;
}

bool IntervalSet::overlaps(const IntervalSet& other) const {
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    if (a->lo < b->hi && b->lo < a->hi) return true;
    (a->hi < b->hi ? a : b)++;
  }
  return false;
}

bool IntervalSet::contains(Interval interval) const {
  if (interval.empty()) return true;
  const auto i = firstEndingAfter(intervals_.begin(), intervals_.end(), interval.lo);
  return i != intervals_.end() && i->contains(interval);
}

std::int64_t IntervalSet::size() const {
  std::int64_t total = 0;
  for (const Interval& interval : intervals_) total += interval.size();
  return total;
}

Interval IntervalSet::hull() const {
  return empty() ? Interval{} : Interval{intervals_.front().lo, intervals_.back().hi};
}

std::string IntervalSet::toString() const {
  std::string text;
  for (const Interval& interval : intervals_) {
    if (!text.empty()) text += ' ';
    text += '[' + std::to_string(interval.lo) + ',' + std::to_string(interval.hi) + ')';
  }
  return text;
}

}  // namespace muster::cap
