// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over sorted lists of elements.
#include "merge/merge_parts.h"

#include <algorithm>
#include <cstring>

namespace muster::cap {

void appendRanges(std::vector<MergeRange>& ranges, const Merge& merge, std::int64_t elements) {
  Interval hull;
  for (const Merge::Part& part : merge.parts) hull = hull.hull(part.elements.hull());
  for (std::int64_t base = hull.lo / elements * elements; base < hull.hi; base += elements) {
    MergeRange range{&merge, base, {}};
    const Interval bounds{base, base + elements};
    for (const Merge::Part& part : merge.parts) {
      Merge::Part piece{part.chunk,
                        bounds.contains(part.elements.hull()) ? part.elements : part.elements.intersect(bounds)};
      if (!piece.elements.empty()) range.parts.push_back(std::move(piece));
    }
    if (!range.parts.empty()) ranges.push_back(std::move(range));
  }
}

DiffShape shapeOf(const Merge::Part& part, std::uint32_t elemSize) {
  return {static_cast<std::uint32_t>(part.elements.size()), elemSize};
}

std::vector<std::uint32_t> tableOf(const IntervalSet& elements, std::int64_t base) {
  std::vector<std::uint32_t> table;
  std::int64_t position = 0;
  for (const Interval& interval : elements) {
    table.push_back(static_cast<std::uint32_t>(position));
    table.push_back(static_cast<std::uint32_t>(interval.lo - base));
    position += interval.size();
  }
  return table;
}

std::vector<std::uint32_t> pairsOf(const IntervalSet& common, const IntervalSet& elements, std::int64_t base) {
  std::vector<std::uint32_t> pairs;
  auto around = elements.begin();
  std::int64_t position = 0, start = 0;  // of the interval in `common`, and of the one around it in `elements`
  for (const Interval& interval : common) {
    for (; (*around).hi < interval.hi; ++around) start += (*around).size();
    pairs.push_back(static_cast<std::uint32_t>(position));
    pairs.push_back(static_cast<std::uint32_t>(interval.lo - base));
    pairs.push_back(static_cast<std::uint32_t>(start + (interval.lo - (*around).lo)));
    position += interval.size();
  }
  return pairs;
}

PlacedChanges placed(const Changes& changes, const IntervalSet& elements, std::int64_t base) {
  PlacedChanges result;
  result.elements = changes.positions;
  result.values = changes.values;
  if (changes.positions.empty() || (elements.intervals() == 1 && elements.hull().lo == base)) return result;
  result.ownElements.reserve(changes.positions.size());
  auto interval = elements.begin();
  std::int64_t start = 0;  // position of the interval's first element
  for (const std::int64_t position : changes.positions) {
    while (position - start >= (*interval).size()) {
      start += (*interval).size();
      ++interval;
    }
    result.ownElements.push_back(static_cast<std::uint32_t>((*interval).lo - base + (position - start)));
  }
  result.elements = result.ownElements;
  return result;
}

PlacedChanges within(const PlacedChanges& changes, const IntervalSet& kept, std::int64_t base, std::uint32_t elemSize) {
  PlacedChanges result;
  const auto relative = [&](std::int64_t element) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(element - base, 0, UINT32_MAX));
  };
  // Runs of the list that are kept, by list index.
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  auto at = changes.elements.begin();
  for (const Interval& interval : kept) {
    const auto from = std::lower_bound(at, changes.elements.end(), relative(interval.lo));
    at = std::lower_bound(from, changes.elements.end(), relative(interval.hi));
    if (from != at) runs.emplace_back(from - changes.elements.begin(), at - changes.elements.begin());
    if (at == changes.elements.end()) break;
  }
  if (runs.empty()) return result;
  if (runs.size() == 1) {
    const auto [from, to] = runs.front();
    result.elements = changes.elements.subspan(from, to - from);
    result.values = changes.values.subspan(from * elemSize, (to - from) * elemSize);
    return result;
  }
  for (const auto& [from, to] : runs) {
    const auto values = changes.values.subspan(from * elemSize, (to - from) * elemSize);
    const auto list = changes.elements.subspan(from, to - from);
    result.ownElements.insert(result.ownElements.end(), list.begin(), list.end());
    result.ownValues.insert(result.ownValues.end(), values.begin(), values.end());
  }
  result.elements = result.ownElements;
  result.values = result.ownValues;
  return result;
}

ElementBits::ElementBits(std::span<const std::uint32_t> elements) {
  constexpr std::size_t kElementsPerChange = 256;
  if (elements.empty()) return;
  first_ = elements.front();
  last_ = elements.back();
  const std::size_t words = (last_ - first_) / 64 + std::size_t{1};
  if (words * 64 / elements.size() > kElementsPerChange) return;
  words_.resize(words);
  for (const std::uint32_t element : elements)
    words_[(element - first_) / 64] |= std::uint64_t{1} << (element - first_) % 64;
}

bool ElementBits::mayShare(std::span<const std::uint32_t> elements) const {
  if (words_.empty()) return true;
  const auto from = std::lower_bound(elements.begin(), elements.end(), first_);
  const auto to = std::upper_bound(from, elements.end(), last_);
  std::uint64_t shared = 0;
  for (auto at = from; at != to; ++at) shared |= words_[(*at - first_) / 64] >> (*at - first_) % 64;
  return (shared & 1) != 0;
}

Conflicts conflictsOf(const PlacedChanges& a, const PlacedChanges& b, std::uint32_t elemSize) {
  Conflicts conflicts;
  std::size_t i = 0, j = 0;
  while (i < a.elements.size() && j < b.elements.size()) {
    const std::uint32_t x = a.elements[i], y = b.elements[j];
    if (x == y && std::memcmp(a.values.data() + i * elemSize, b.values.data() + j * elemSize, elemSize) != 0) {
      if (conflicts.count++ == 0) conflicts.first = x;
    }
    // Which list goes on cannot be predicted, so there is no branch on it.
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  return conflicts;
}

}  // namespace muster::cap
