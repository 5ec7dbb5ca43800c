// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval sets against plain bit maps.
#include "muster/cap/region.h"

#include <gtest/gtest.h>

#include <bitset>
#include <cstdint>
#include <vector>

#include "nests.h"

namespace muster::cap {
namespace {

using testing::chance;
using testing::pick;
using testing::Random;

TEST(Interval, EmptyOnesAreNothing) {
  EXPECT_TRUE((Interval{3, 3}.empty()));
  EXPECT_TRUE((Interval{4, 3}.empty()));
  EXPECT_EQ((Interval{4, 3}.size()), 0);
  EXPECT_TRUE((Interval{0, 1}.contains(Interval{7, 7})));
  EXPECT_EQ((Interval{0, 4}.intersect({4, 8})), Interval{});
  EXPECT_EQ((Interval{0, 4}.hull({9, 9})), (Interval{0, 4}));
  EXPECT_EQ((Interval{9, 9}.hull({1, 4})), (Interval{1, 4}));
  EXPECT_EQ((Interval{9, 9}.hull({5, 5})), Interval{});
  EXPECT_EQ((Interval{0, 2}.hull({6, 8})), (Interval{0, 8}));
}

TEST(IntervalSet, NeighboursBecomeOne) {
  IntervalSet set;
  set.add(Interval{4, 8});
  set.add(Interval{0, 4});
  EXPECT_EQ(set, (IntervalSet{{0, 8}}));
  set.add(Interval{10, 12});
  set.add(Interval{8, 10});
  EXPECT_EQ(set, (IntervalSet{{0, 12}}));
  set.add(Interval{5, 5});
  EXPECT_EQ(set.intervals(), 1u);
}

TEST(IntervalSet, OfSortsAndMerges) {
  EXPECT_EQ(IntervalSet::of({{6, 8}, {0, 2}, {7, 7}, {1, 3}, {8, 9}}), (IntervalSet{{0, 3}, {6, 9}}));
  EXPECT_TRUE(IntervalSet::of({{3, 3}, {5, 4}}).empty());
  EXPECT_TRUE(IntervalSet(Interval{2, 2}).empty());
}

TEST(IntervalSet, SubtractSplits) {
  IntervalSet set{{0, 10}};
  set.subtract(Interval{3, 5});
  EXPECT_EQ(set, (IntervalSet{{0, 3}, {5, 10}}));
  set.subtract(IntervalSet{{0, 1}, {2, 6}, {9, 20}});
  EXPECT_EQ(set, (IntervalSet{{1, 2}, {6, 9}}));
  set.subtract(set);
  EXPECT_TRUE(set.empty());
}

TEST(IntervalSet, EqualRowsTakeNoMoreMemoryForMoreOfThem) {
  const IntervalSet rows = IntervalSet::repeated({0, 10}, 1000, 1000);
  EXPECT_LT(rows.allocated(), 64u);
  EXPECT_EQ(rows.intervals(), 1000u);
  IntervalSet more = rows;
  more.add(IntervalSet::repeated({10, 30}, 1000, 1000));
  EXPECT_EQ(more, IntervalSet::repeated({0, 30}, 1000, 1000));
  EXPECT_LT(more.allocated(), 64u);
  EXPECT_TRUE(more.contains({999000, 999030}));
  EXPECT_FALSE(more.contains({999000, 999031}));
  EXPECT_FALSE(more.contains({998999, 999001}));
  EXPECT_EQ(more.intersect({2020, 4010}), (IntervalSet{{2020, 2030}, {3000, 3030}, {4000, 4010}}));
}

TEST(IntervalSet, Prints) {
  EXPECT_EQ((IntervalSet{{0, 4}, {8, 12}}.toString()), "[0,4) [8,12)");
  EXPECT_EQ(IntervalSet().toString(), "");
}

constexpr std::size_t bits = 128;
using Bits = std::bitset<bits>;

Interval randomInterval(Random& random) {
  const std::int64_t lo = pick(random, 0, bits);
  return {lo, std::min<std::int64_t>(bits, lo + pick(random, -2, 12))};
}

Bits bitsOf(Interval interval) {
  Bits result;
  for (std::int64_t e = interval.lo; e < interval.hi; ++e) result.set(static_cast<std::size_t>(e));
  return result;
}

Bits bitsOf(const IntervalSet& set) {
  Bits result;
  for (const Interval& interval : set) result |= bitsOf(interval);
  return result;
}

void expectCanonical(const IntervalSet& set) {
  std::int64_t end = INT64_MIN;
  for (const Interval& interval : set) {
    ASSERT_FALSE(interval.empty());
    ASSERT_LT(end, interval.lo) << set.toString();
    end = interval.hi;
  }
}

IntervalSet randomSet(Random& random) {
  std::vector<Interval> intervals;
  for (std::int64_t n = pick(random, 0, 8); n > 0; --n) intervals.push_back(randomInterval(random));
  if (chance(random, 0.4)) return IntervalSet::of(std::move(intervals));
  // Rows, known as such or found, that others meet, cut or fill up.
  const std::int64_t stride = pick(random, 2, 12), count = pick(random, 1, 10), length = pick(random, 1, stride - 1);
  const std::int64_t first = pick(random, 0, static_cast<std::int64_t>(bits) - (count - 1) * stride - length);
  IntervalSet rows = IntervalSet::repeated({first, first + length}, stride, count);
  if (chance(random, 0.2)) rows.add(IntervalSet::of(std::move(intervals)));
  return rows;
}

TEST(IntervalSet, AgreesWithBits) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    const IntervalSet a = randomSet(random), b = randomSet(random);
    const Interval i = randomInterval(random);
    const Bits x = bitsOf(a), y = bitsOf(b), z = bitsOf(i);
    const auto check = [&](const IntervalSet& set, const Bits& expected, const char* operation) {
      expectCanonical(set);
      ASSERT_EQ(bitsOf(set), expected) << operation << ": " << a.toString() << " | " << b.toString() << " | "
                                       << IntervalSet(i).toString();
    };
    IntervalSet set = a;
    set.add(b);
    check(set, x | y, "add set");
    set = a;
    set.add(i);
    check(set, x | z, "add interval");
    set = a;
    set.subtract(b);
    check(set, x & ~y, "subtract set");
    set = a;
    set.subtract(i);
    check(set, x & ~z, "subtract interval");
    check(a.intersect(b), x & y, "intersect set");
    check(a.intersect(i), x & z, "intersect interval");
    ASSERT_EQ(a.overlaps(b), (x & y).any());
    ASSERT_EQ(a.contains(i), (z & ~x).none());
    ASSERT_EQ(a.size(), static_cast<std::int64_t>(x.count()));
    ASSERT_EQ(a == b, x == y);
    std::vector<Interval> all;
    for (const Interval& interval : a) all.push_back(interval);
    ASSERT_EQ(all.size(), a.intervals());
    IntervalSet writtenOut;
    for (const Interval& interval : all) writtenOut.add(interval);
    ASSERT_EQ(writtenOut, a);
    ASSERT_EQ(a, writtenOut);
    ASSERT_EQ(bitsOf(IntervalSet(a.hull())) & x, x);
  }
}

}  // namespace
}  // namespace muster::cap
