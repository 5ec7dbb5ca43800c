// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The geometry of merges against loops over elements.
#include "merge/merge_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <random>

namespace muster::cap {
namespace {

IntervalSet someElements(std::mt19937& random, std::int64_t from) {
  IntervalSet elements;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t size = 1 + static_cast<std::int64_t>(random() % 9);
    elements.add(Interval{from, from + size});
    from += size + 1 + static_cast<std::int64_t>(random() % 5);
  }
  return elements;
}

TEST(MergeParts, ChangesArePlacedAndCutToWhatIsKept) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const IntervalSet mine = someElements(random, 100), kept = someElements(random, 95 + random() % 10);
    std::vector<std::int32_t> values, expected;
    Changes changes;
    std::uint32_t position = 0;
    for (const Interval& interval : mine) {
      for (std::int64_t e = interval.lo; e < interval.hi; ++e, ++position) {
        if (random() % 2 == 0) continue;
        changes.positions.push_back(position);
        values.push_back(static_cast<std::int32_t>(e));  // each value names its element
        if (kept.contains({e, e + 1})) expected.push_back(values.back());
      }
    }
    changes.values = std::as_bytes(std::span(values));
    const PlacedChanges all = placed(changes, mine, 96);
    const PlacedChanges some = within(all, kept, 96, 4);
    ASSERT_EQ(some.elements.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      std::int32_t value = 0;
      std::memcpy(&value, some.values.data() + 4 * i, sizeof value);
      ASSERT_EQ(value, expected[i]);
      ASSERT_EQ(some.elements[i] + 96, static_cast<std::uint32_t>(expected[i]));
    }
  }
}

TEST(MergeParts, ConflictsAreTheElementsWithDifferentValues) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    std::map<std::uint32_t, int> lists[2];
    std::vector<std::uint32_t> elements[2];
    std::vector<int> values[2];
    PlacedChanges changes[2];
    for (int side = 0; side < 2; ++side) {
      for (unsigned i = random() % 40; i > 0; --i) lists[side][random() % 60] = static_cast<int>(random() % 3);
      for (const auto& [element, value] : lists[side]) {
        elements[side].push_back(element);
        values[side].push_back(value);
      }
      changes[side].elements = elements[side];
      changes[side].values = std::as_bytes(std::span(values[side]));
    }
    Conflicts expected;
    for (const auto& [element, value] : lists[0]) {
      const auto other = lists[1].find(element);
      if (other == lists[1].end() || other->second == value) continue;
      if (expected.count++ == 0) expected.first = element;
    }
    const Conflicts found = conflictsOf(changes[0], changes[1], 4);
    ASSERT_EQ(found.count, expected.count);
    ASSERT_EQ(found.first, expected.first);
    if (found.count > 0) {
      ASSERT_TRUE(ElementBits(elements[0]).mayShare(elements[1]));
    }
  }
}

TEST(MergeParts, BitsTellDenseSetsApart) {
  std::mt19937 random(3);
  int told = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t first = round % 2 == 0 ? 0 : (1u << 30) - 2000, size = 1 + random() % 1000;
    std::vector<std::uint32_t> sets[2];
    const unsigned shared = random() % 3 == 0 ? 1 : 0;
    for (std::uint32_t e = first; e < first + size; ++e) {
      const unsigned owner = random() % 3;
      if (owner < 2) sets[owner].push_back(e);
      if (owner == 2 && shared != 0) {
        sets[0].push_back(e);
        sets[1].push_back(e);
      }
    }
    sets[1].push_back(first + size + random() % 500);
    std::vector<std::uint32_t> both;
    std::set_intersection(sets[0].begin(), sets[0].end(), sets[1].begin(), sets[1].end(), std::back_inserter(both));
    const bool may = ElementBits(sets[0]).mayShare(sets[1]);
    ASSERT_TRUE(may || both.empty());
    if (sets[0].size() > 10) {
      ASSERT_EQ(may, !both.empty());
    }
    told += may ? 0 : 1;
  }
  EXPECT_GT(told, 500);
}

TEST(MergeParts, FewElementsFarApartAreNotMadeBits) {
  const std::vector<std::uint32_t> far = {1, 1u << 29}, other = {7};
  EXPECT_TRUE(ElementBits(far).mayShare(other));
}

TEST(MergeParts, LargeMergesAreCutWhereTheirElementsCountAnew) {
  Plan plan;
  Merge merge;
  merge.elemSize = 4;
  merge.parts = {{0, IntervalSet{{5, 25}}}, {1, IntervalSet{{18, 21}, {30, 41}}}};
  std::vector<MergeRange> ranges;
  appendRanges(ranges, merge, 10);
  ASSERT_EQ(ranges.size(), 5u);
  std::map<std::size_t, IntervalSet> together;
  for (const MergeRange& range : ranges) {
    EXPECT_EQ(range.base % 10, 0);
    for (const Merge::Part& part : range.parts) {
      EXPECT_TRUE((Interval{range.base, range.base + 10}.contains(part.elements.hull())));
      together[part.chunk].add(part.elements);
    }
  }
  EXPECT_EQ(together[0], merge.parts[0].elements);
  EXPECT_EQ(together[1], merge.parts[1].elements);
  EXPECT_EQ(tableOf(IntervalSet{{18, 21}, {30, 41}}, 10), (std::vector<std::uint32_t>{0, 8, 3, 20}));
  EXPECT_EQ(pairsOf(IntervalSet{{19, 20}, {33, 35}, {38, 41}}, IntervalSet{{2, 4}, {18, 21}, {30, 41}}, 10),
            (std::vector<std::uint32_t>{0, 9, 3, 1, 23, 8, 3, 28, 13}));
}

}  // namespace
}  // namespace muster::cap
