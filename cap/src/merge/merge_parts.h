// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The geometry of a merge: which elements each chunk may have changed, and what its changes mean for another copy.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merge/diff.h"
#include "muster/cap/planner.h"

namespace muster::cap {

// A merge, or as much of it as lies within 2^30 elements, so that elements count from `base` in 32 bits.
struct MergeRange {
  const Merge* merge = nullptr;
  std::int64_t base = 0;
  std::vector<Merge::Part> parts;  // by chunk, none empty
};
// Ranges of so many elements at most, whose parts are those of the merge. All ranks derive the same ones from the same
// plan.
void appendRanges(std::vector<MergeRange>& ranges, const Merge& merge, std::int64_t elements = maxDiffElements);

[[nodiscard]] inline MemoryId memoryOf(const Plan& plan, const Merge::Part& part) {
  return plan.chunks[part.chunk].memory;
}

[[nodiscard]] DiffShape shapeOf(const Merge::Part& part, std::uint32_t elemSize);

// Where the positions of a part lie, for the merge kernels.
[[nodiscard]] std::vector<std::uint32_t> tableOf(const IntervalSet& elements, std::int64_t base);

// Where elements that two parts have in common lie, for the kernels that join them: `common` is a subset of `elements`.
[[nodiscard]] std::vector<std::uint32_t> pairsOf(const IntervalSet& common, const IntervalSet& elements,
                                                 std::int64_t base);

// Changes by element instead of by position. What needs no conversion stays where it was.
struct PlacedChanges {
  std::span<const std::uint32_t> elements;  // from the range's base on, ascending
  std::span<const std::byte> values;
  std::vector<std::uint32_t> ownElements;
  cdm::Bytes ownValues;
};
// `changes` of a part with these elements; must outlive the result.
[[nodiscard]] PlacedChanges placed(const Changes& changes, const IntervalSet& elements, std::int64_t base);
// Only those among `kept`. `changes` must outlive the result.
[[nodiscard]] PlacedChanges within(const PlacedChanges& changes, const IntervalSet& kept, std::int64_t base,
                                   std::uint32_t elemSize);

// Elements that two chunks changed to different values.
struct Conflicts {
  std::int64_t count = 0;
  std::uint32_t first = 0;  // from the range's base on
};
[[nodiscard]] Conflicts conflictsOf(const PlacedChanges& a, const PlacedChanges& b, std::uint32_t elemSize);

// Elements as bits, where they are so dense that this saves time: most chunks have no element in common with others,
// which bits tell several times faster than a walk over both lists.
class ElementBits {
 public:
  explicit ElementBits(std::span<const std::uint32_t> elements);
  // False only if none of these elements is in the set.
  [[nodiscard]] bool mayShare(std::span<const std::uint32_t> elements) const;

 private:
  std::uint32_t first_ = 0, last_ = 0;
  std::vector<std::uint64_t> words_;  // empty: not dense enough
};

}  // namespace muster::cap
