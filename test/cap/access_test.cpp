// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access maps: the cases that matter by name, then random nests against the oracle.
#include "muster/cap/access.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>

#include "nests.h"

namespace muster::cap {
namespace {

using testing::loop;
using testing::Nesting;
using testing::read;
using testing::write;

constexpr std::int64_t n = 20, m = 10;

void expectRegion(const AccessRegion& region, const IntervalSet& elements, bool exact) {
  EXPECT_EQ(region.elements, elements) << region.elements.toString();
  EXPECT_EQ(region.exact, exact);
}

TEST(RegionOf, StencilRowsKeepTheirGaps) {
  const IterationSpace space{{loop(1, n - 1), loop(1, m - 1)}, {}};
  // i in [3, 5): v[i * m + j]
  expectRegion(regionOf(write(0, {m, 1}), space, 2, 4, 0, n * m), {{31, 39}, {41, 49}}, true);
  expectRegion(regionOf(read(0, {m, 1}, -m), space, 2, 4, 0, n * m), {{21, 29}, {31, 39}}, true);
  expectRegion(regionOf(read(0, {m, 1}, -1), space, 0, 1, 0, n * m), {{10, 18}}, true);
}

TEST(RegionOf, FullRowsAreOneInterval) {
  const IterationSpace space{{loop(0, n), loop(0, m)}, {}};
  expectRegion(regionOf(write(0, {m, 1}), space, 4, 9, 0, n * m), {{40, 90}}, true);
}

TEST(RegionOf, InnerVariableIsLikeADimension) {
  const IterationSpace space{{loop(0, n)}, {{{{0}, 0}, {{0}, m - 1}}}};
  expectRegion(regionOf(write(0, {m, 1}), space, 4, 9, 0, n * m), {{40, 90}}, true);
}

TEST(RegionOf, OffsetOfThePointerCounts) {
  const IterationSpace space{{loop(0, n)}, {}};
  expectRegion(regionOf(write(0, {1}, 2), space, 0, 5, 100, 200), {{102, 107}}, true);
}

TEST(RegionOf, DownwardsAndStrided) {
  const IterationSpace down{{{9, -1, 10}}, {}};
  expectRegion(regionOf(write(0, {1}), down, 0, 3, 0, 10), {{7, 10}}, true);
  expectRegion(regionOf(write(0, {-1}, 9), down, 0, 3, 0, 10), {{0, 3}}, true);
  const IterationSpace odd{{{1, 2, 5}}, {}};
  expectRegion(regionOf(write(0, {1}), odd, 1, 3, 0, 10), {{3, 4}, {5, 6}}, true);
  expectRegion(regionOf(write(0, {3}), odd, 0, 2, 0, 100), {{3, 4}, {9, 10}}, true);
}

TEST(RegionOf, OverlappingCoverageIsExact) {
  const IterationSpace space{{loop(0, 5), loop(0, 3)}, {}};
  expectRegion(regionOf(write(0, {2, 1}), space, 0, 5, 0, 100), {{0, 11}}, true);
}

TEST(RegionOf, ColumnsAreRowsToo) {
  const IterationSpace space{{loop(0, m), loop(0, 4)}, {}};
  expectRegion(regionOf(write(0, {1, m}), space, 2, 4, 0, 4 * m), {{2, 4}, {12, 14}, {22, 24}, {32, 34}}, true);
}

TEST(RegionOf, ZeroCoefficientsTouchOneElement) {
  const IterationSpace space{{loop(0, n)}, {}};
  expectRegion(regionOf(write(0, {0}, 7), space, 3, 6, 0, 10), {{7, 8}}, true);
  expectRegion(regionOf(write(0, {}, 7), space, 3, 6, 0, 10), {{7, 8}}, true);
}

TEST(RegionOf, NothingFromEmptyLoops) {
  const IterationSpace space{{loop(0, n), loop(3, 3)}, {}};
  expectRegion(regionOf(write(0, {m, 1}), space, 0, n, 0, n * m), {}, true);
  expectRegion(regionOf(testing::unbounded(AccessMode::write, 0), space, 0, n, 0, n * m), {}, true);
  const IterationSpace some{{loop(0, n)}, {}};
  expectRegion(regionOf(write(0, {1}), some, 4, 4, 0, n), {}, true);
  expectRegion(regionOf(write(0, {1}), some, n, 2 * n, 0, n), {}, true);
  const IterationSpace inner{{loop(0, n)}, {{{{0}, 5}, {{0}, 4}}}};
  expectRegion(regionOf(write(0, {m, 1}), inner, 0, n, 0, n * m), {}, true);
}

TEST(RegionOf, AnEmptyLoopBesideTheAccessDoesNotHideIt) {
  // for i: { a[i] = 0; for (k = 5; k <= 4; ++k) ... }
  const IterationSpace space{{loop(0, n)}, {{{{0}, 5}, {{0}, 4}}}};
  expectRegion(regionOf(write(0, {1, 0}), space, 2, 4, 0, n), {{2, 4}}, false);
}

TEST(RegionOf, TriangularNestsGetAHull) {
  // for (k = 0; k <= i; ++k) a[i * m + k]
  const IterationSpace lower{{loop(0, m)}, {{{{0}, 0}, {{1}, 0}}}};
  expectRegion(regionOf(write(0, {m, 1}), lower, 2, 3, 0, m * m), {{20, 23}}, true);  // one row: its length is known
  AccessRegion rows = regionOf(write(0, {m, 1}), lower, 2, 4, 0, m * m);
  EXPECT_FALSE(rows.exact);
  EXPECT_TRUE(rows.elements.contains({20, 23}) && rows.elements.contains({30, 34}));
  EXPECT_EQ(rows.elements.hull(), (Interval{20, 34}));
  // for (k = i; k < m; ++k) a[k * m + i]: columns stay apart
  const IterationSpace columns{{loop(0, m)}, {{{{1}, 0}, {{0}, m - 1}}}};
  const AccessRegion left = regionOf(write(0, {1, m}), columns, 0, 5, 0, m * m);
  const AccessRegion right = regionOf(write(0, {1, m}), columns, 5, 10, 0, m * m);
  EXPECT_FALSE(left.elements.overlaps(right.elements));
}

TEST(RegionOf, CancellingVariablesStaySmall) {
  // for (k = i - 1; k <= i + 1; ++k) a[k - i + 5]: elements 4 to 6 whatever i is
  const IterationSpace space{{loop(0, 1000)}, {{{{1}, -1}, {{1}, 1}}}};
  expectRegion(regionOf(read(0, {-1, 1}, 5), space, 0, 1000, 0, 1000), {{4, 7}}, false);
}

TEST(RegionOf, ContradictingBoundsTouchNothing) {
  // for (k = i; k <= i - 1; ++k) a[k - i + 5]
  const IterationSpace space{{loop(0, 1000)}, {{{{1}, 0}, {{1}, -1}}}};
  expectRegion(regionOf(read(0, {-1, 1}, 5), space, 0, 1000, 0, 1000), {}, true);
}

TEST(RegionOf, ConditionsAndUnknownsAreNotExact) {
  const IterationSpace space{{loop(0, n)}, {}};
  Access maybe = write(0, {1});
  maybe.conditional = true;
  expectRegion(regionOf(maybe, space, 2, 5, 0, n), {{2, 5}}, false);
  expectRegion(regionOf(testing::unbounded(AccessMode::read, 0), space, 2, 5, 0, n), {{0, n}}, false);
  const Access tooMany = write(0, {1, 1});
  expectRegion(regionOf(tooMany, space, 2, 5, 0, n), {{0, n}}, false);
}

TEST(RegionOf, WhatIsCutOffIsNotExact) {
  const IterationSpace space{{loop(0, n)}, {}};
  expectRegion(regionOf(read(0, {1}, -1), space, 0, 3, 0, n), {{0, 2}}, false);
  expectRegion(regionOf(read(0, {1}, 1), space, n - 2, n, 0, n), {{n - 1, n}}, false);
  expectRegion(regionOf(read(0, {1}, 1000), space, 0, n, 0, n), {}, false);
}

TEST(RegionOf, TooManyRowsBecomeAHull) {
  const IterationSpace space{{loop(0, n)}, {}};
  expectRegion(regionOf(write(0, {2}), space, 0, 4, 0, 100, 4), {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, true);
  expectRegion(regionOf(write(0, {2}), space, 0, 5, 0, 100, 4), {{0, 9}}, false);
}

TEST(RegionOf, OverflowGivesTheWholeArray) {
  const IterationSpace space{{loop(0, n)}, {}};
  expectRegion(regionOf(read(0, {INT64_MAX}), space, 0, n, 0, 50), {{0, 50}}, false);
  expectRegion(regionOf(read(0, {INT64_MIN}, INT64_MIN), space, 1, n, INT64_MIN, 50), {{0, 50}}, false);
  const IterationSpace far{{{INT64_MAX - 1, INT64_MAX, 3}}, {}};
  expectRegion(regionOf(read(0, {1}), far, 0, 3, 0, 50), {{0, 50}}, false);
  const IterationSpace wide{{loop(0, n)}, {{{{0}, INT64_MIN}, {{INT64_MAX}, INT64_MAX}}}};
  expectRegion(regionOf(read(0, {1, 1}), wide, 0, n, 0, 50), {{0, 50}}, false);
  expectRegion(regionOf(read(0, {1, 0}), wide, 0, n, 0, 50), {{0, n}}, false);  // beside that loop
}

TEST(RegionOf, BoundsThatUseLaterVariablesAreNotTrusted) {
  const IterationSpace space{{loop(0, n)}, {{{{0, 0, 1}, 0}, {{0}, 3}}, {{{0}, 0}, {{0}, 3}}}};
  expectRegion(regionOf(read(0, {1, 1}), space, 0, n, 0, 50), {{0, 50}}, false);
}

std::string describe(const Access& access, const IterationSpace& space, std::int64_t lo, std::int64_t hi,
                     std::int64_t offset, std::int64_t count) {
  std::ostringstream text;
  const auto form = [&](const AffineForm& f) {
    for (const std::int64_t c : f.coefficients) text << c << ' ';
    text << "+ " << f.constant;
  };
  for (const Dim& dim : space.dims) text << "dim " << dim.first << " + k * " << dim.step << ", " << dim.count << "; ";
  for (const InnerVariable& variable : space.inner) {
    text << "inner from ";
    form(variable.smallest);
    text << " to ";
    form(variable.largest);
    text << "; ";
  }
  form(access.index);
  text << "; chunk [" << lo << ',' << hi << "), offset " << offset << ", count " << count;
  return text.str();
}

TEST(RegionOf, AgreesWithTheOracle) {
  testing::Random random(2);
  int exact = 0, affine = 0;
  for (int round = 0; round < 30000; ++round) {
    const IterationSpace space = testing::randomSpace(random, 6);
    Access map = read(0, {}, testing::pick(random, -10, 30));
    for (std::size_t v = 0; v < space.dims.size() + space.inner.size(); ++v) {
      map.index.coefficients.push_back(testing::chance(random, 0.25) ? 0 : testing::pick(random, -12, 12));
    }
    map.conditional = testing::chance(random, 0.1);
    const std::int64_t lo = testing::pick(random, 0, space.dims[0].count);
    const std::int64_t hi = testing::pick(random, lo, space.dims[0].count);
    const std::int64_t offset = testing::pick(random, -20, 60);
    const std::int64_t count = testing::pick(random, 0, 150);
    const auto maxIntervals =
        static_cast<std::size_t>(testing::chance(random, 0.8) ? 4096 : testing::pick(random, 1, 8));

    const AccessRegion region = regionOf(map, space, lo, hi, offset, count, maxIntervals);
    const std::string what = describe(map, space, lo, hi, offset, count);
    ASSERT_TRUE((Interval{0, count}.contains(region.elements.hull()))) << what;
    bool outside = false;
    bool rectangular = !map.conditional && maxIntervals == 4096;
    for (const InnerVariable& variable : space.inner) {
      for (const AffineForm* form : {&variable.smallest, &variable.largest}) {
        for (const std::int64_t c : form->coefficients) rectangular &= c == 0;
      }
      rectangular &= variable.smallest.constant <= variable.largest.constant;
    }
    for (const Nesting nesting : {Nesting::neededLoops, Nesting::allLoops}) {
      const IntervalSet expected =
          testing::asSet(testing::touched(map, space, lo, hi, offset, count, nesting, &outside));
      IntervalSet missed = expected;
      missed.subtract(region.elements);
      ASSERT_TRUE(missed.empty()) << "missed " << missed.toString() << ": " << what;
      if (region.exact) {
        ASSERT_EQ(region.elements, expected) << what;
      }
    }
    if (rectangular && !outside) {
      ASSERT_TRUE(region.exact) << what;
      ++affine;
    }
    exact += region.exact;
  }
  EXPECT_GT(affine, 1500);
  EXPECT_GT(exact, affine);
}

}  // namespace
}  // namespace muster::cap
