// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic. Set with set: one linear merge; set with interval: a binary search and a splice. Equal rows with
// one stride stay together where that is known at once (a copy, a union with rows beside them); other changes write
// them out, and those with whole sets look whether the result is such rows again.
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
template <class List>
void appendMerged(List& list, Interval interval) {
  if (!list.empty() && interval.lo <= list.back().hi) {
    list.back().hi = std::max(list.back().hi, interval.hi);
  } else {
    list.push_back(interval);
  }
}

// Fewer rows are written out.
constexpr std::int64_t fewestRows = 8;

}  // namespace

Interval Interval::hull(const Interval& other) const {
  if (empty()) return other.empty() ? Interval{} : other;
  if (other.empty()) return *this;
  return {std::min(lo, other.lo), std::max(hi, other.hi)};
}

IntervalSet::IntervalSet(std::initializer_list<Interval> intervals) : IntervalSet(of(intervals)) {}

IntervalSet::IntervalSet(Interval interval) {
  if (!interval.empty()) list_.push_back(interval);
}

IntervalSet IntervalSet::of(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.empty(); });
  if (!std::is_sorted(intervals.begin(), intervals.end())) std::sort(intervals.begin(), intervals.end());
  IntervalSet set;
  set.list_.reserve(intervals.size());
  for (const Interval& interval : intervals) appendMerged(set.list_, interval);
  set.findRows();
  return set;
}

IntervalSet IntervalSet::repeated(Interval row, std::int64_t stride, std::int64_t count) {
  IntervalSet set;
  set.setRows({row, stride, count});
  if (count < fewestRows) set.writeOut();
  return set;
}

void IntervalSet::setRows(const Rows& rows) {
  list_ = {};
  list_.reserve(2);
  list_.push_back(rows.row);
  list_.push_back({rows.stride, -rows.count});
}

void IntervalSet::writeOut() {
  if (!isRepeated()) return;
  List all;
  all.reserve(intervals());
  for (const Interval& interval : *this) all.push_back(interval);
  list_ = std::move(all);
}

// From intervals that are written out to rows, if that is what they are.
void IntervalSet::findRows() {
  const auto count = static_cast<std::int64_t>(list_.size());
  if (count < fewestRows || isRepeated()) return;
  const std::int64_t stride = list_[1].lo - list_[0].lo;
  for (std::size_t k = list_.size() - 1; k > 0; --k) {
    if (list_[k].lo - list_[k - 1].lo != stride || list_[k].size() != list_[0].size()) return;
  }
  setRows({list_[0], stride, count});
}

void IntervalSet::add(Interval interval) {
  if (interval.empty()) return;
  if (isRepeated()) {
    if (contains(interval)) return;
    writeOut();
  }
  if (list_.empty() || list_.back().lo <= interval.lo) {
    appendMerged(list_, interval);
    return;
  }
  const auto first = firstEndingAtOrAfter(list_.begin(), list_.end(), interval.lo);
  auto last = first;
  for (; last != list_.end() && last->lo <= interval.hi; ++last) interval = interval.hull(*last);
  if (first == last) {
    list_.insert(first, interval);
  } else {
    *first = interval;
    list_.erase(first + 1, last);
  }
}

// Rows in step with these that meet them. False: they are others, and nothing has changed.
bool IntervalSet::addRows(const Rows& more) {
  const Rows own = rows();
  if (own.stride != more.stride || own.count != more.count) return false;
  const bool meet = own.row.lo <= more.row.hi && more.row.lo <= own.row.hi;
  const Interval both = own.row.hull(more.row);
  if (!meet || both.size() >= own.stride) return false;
  list_[0] = both;
  return true;
}

void IntervalSet::add(const IntervalSet& other) {
  if (other.intervals() <= 1) {
    if (!other.empty()) add(other.list_.front());
    return;
  }
  if (empty()) {
    *this = other;
    return;
  }
  if (!isRepeated() && list_.size() == 1 && list_[0].contains(other.hull())) return;
  if (isRepeated() && other.isRepeated() && addRows(other.rows())) return;
  List merged;
  merged.reserve(intervals() + other.intervals());
  auto a = begin(), b = other.begin();
  const auto aEnd = end(), bEnd = other.end();
  while (a != aEnd || b != bEnd) {
    const bool takeA = b == bEnd || (a != aEnd && (*a).lo < (*b).lo);
    appendMerged(merged, takeA ? *a : *b);
    ++(takeA ? a : b);
  }
  list_ = std::move(merged);
  findRows();
}

void IntervalSet::subtract(Interval interval) {
  if (interval.intersect(hull()).empty()) return;
  if (interval.contains(hull())) {
    list_ = {};
    return;
  }
  writeOut();
  const auto first = firstEndingAfter(list_.begin(), list_.end(), interval.lo);
  auto last = first;
  Interval before, after;
  for (; last != list_.end() && last->lo < interval.hi; ++last) {
    if (last->lo < interval.lo) before = {last->lo, interval.lo};
    if (interval.hi < last->hi) after = {interval.hi, last->hi};
  }
  auto place = list_.erase(first, last);
  if (!after.empty()) place = list_.insert(place, after);
  if (!before.empty()) list_.insert(place, before);
}

void IntervalSet::subtract(const IntervalSet& other) {
  if (other.intervals() <= 1) {
    if (!other.empty()) subtract(other.list_.front());
    return;
  }
  if (hull().intersect(other.hull()).empty()) return;
  List left;
  left.reserve(intervals());
  auto cut = other.begin();
  const auto cuts = other.end();
  for (Interval rest : *this) {
    while (cut != cuts && (*cut).hi <= rest.lo) ++cut;
    for (; cut != cuts && (*cut).lo < rest.hi; ++cut) {
      if (rest.lo < (*cut).lo) left.push_back({rest.lo, (*cut).lo});
      rest.lo = (*cut).hi;
      if (rest.empty()) break;  // this cut may reach into the next interval
    }
    if (!rest.empty()) left.push_back(rest);
  }
  list_ = std::move(left);
  findRows();
}

IntervalSet IntervalSet::intersect(Interval interval) const {
  if (interval.contains(hull())) return *this;
  IntervalSet common;
  if (interval.empty()) return common;
  if (isRepeated()) {
    const Rows own = rows();
    for (std::int64_t k = std::max<std::int64_t>(0, (interval.lo - own.row.lo) / own.stride); k < own.count; ++k) {
      if (own.at(k).lo >= interval.hi) break;
      const Interval both = own.at(k).intersect(interval);
      if (!both.empty()) common.list_.push_back(both);
    }
    common.findRows();
    return common;
  }
  auto i = firstEndingAfter(list_.begin(), list_.end(), interval.lo);
  for (; i != list_.end() && i->lo < interval.hi; ++i) common.list_.push_back(i->intersect(interval));
  return common;
}

IntervalSet IntervalSet::intersect(const IntervalSet& other) const {
  if (other.intervals() <= 1) return other.empty() ? IntervalSet() : intersect(other.list_.front());
  if (intervals() == 1) return other.intersect(list_.front());
  IntervalSet common;
  auto a = begin(), b = other.begin();
  const auto aEnd = end(), bEnd = other.end();
  while (a != aEnd && b != bEnd) {
    const Interval both = (*a).intersect(*b);
    if (!both.empty()) common.list_.push_back(both);
    ++((*a).hi < (*b).hi ? a : b);
  }
  common.findRows();
  return common;
}

bool IntervalSet::overlaps(const IntervalSet& other) const {
  if (hull().intersect(other.hull()).empty()) return false;
  auto a = begin(), b = other.begin();
  const auto aEnd = end(), bEnd = other.end();
  while (a != aEnd && b != bEnd) {
    if ((*a).lo < (*b).hi && (*b).lo < (*a).hi) return true;
    ++((*a).hi < (*b).hi ? a : b);
  }
  return false;
}

bool IntervalSet::contains(Interval interval) const {
  if (interval.empty()) return true;
  if (list_.size() == 1) return list_.front().contains(interval);
  if (!hull().contains(interval)) return false;
  if (isRepeated()) return rows().at((interval.lo - list_[0].lo) / list_[1].lo).contains(interval);
  const auto i = firstEndingAfter(list_.begin(), list_.end(), interval.lo);
  return i != list_.end() && i->contains(interval);
}

std::int64_t IntervalSet::size() const {
  if (isRepeated()) return rows().count * list_[0].size();
  std::int64_t total = 0;
  for (const Interval& interval : list_) total += interval.size();
  return total;
}

Interval IntervalSet::hull() const {
  if (empty()) return {};
  return {list_[0].lo, isRepeated() ? rows().at(rows().count - 1).hi : list_.back().hi};
}

bool IntervalSet::equals(const IntervalSet& other) const {
  if (isRepeated() == other.isRepeated()) return list_ == other.list_;
  return intervals() == other.intervals() && std::equal(begin(), end(), other.begin());
}

std::string IntervalSet::toString() const {
  std::string text;
  for (const Interval& interval : *this) {
    if (!text.empty()) text += ' ';
    text += '[' + std::to_string(interval.lo) + ',' + std::to_string(interval.hi) + ')';
  }
  return text;
}

}  // namespace muster::cap
