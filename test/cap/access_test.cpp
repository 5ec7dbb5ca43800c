// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access maps: the cases that matter by name, then random nests against the oracle.
#include "muster/cap/access.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(RegionOf, TriangularNestsAreWalkedRowByRow) {
  // for (k = 0; k <= i; ++k) a[i * m + k]
  const IterationSpace lower{{loop(0, m)}, {{{{0}, 0}, {{1}, 0}}}};
  expectRegion(regionOf(write(0, {m, 1}), lower, 2, 3, 0, m * m), {{20, 23}}, true);
  expectRegion(regionOf(write(0, {m, 1}), lower, 2, 4, 0, m * m), {{20, 23}, {30, 34}}, true);
  // for (k = i; k < m; ++k) a[i * m + k], upwards and downwards
  const IterationSpace upper{{loop(0, m)}, {{{{1}, 0}, {{0}, m - 1}}}};
  expectRegion(regionOf(write(0, {m, 1}), upper, 7, 10, 0, m * m), {{77, 80}, {88, 90}, {99, 100}}, true);
  const IterationSpace down{{{m - 1, -1, m}}, upper.inner};
  expectRegion(regionOf(write(0, {m, 1}), down, 0, 2, 0, m * m), {{88, 90}, {99, 100}}, true);
  // for (k = i; k < m; ++k) a[k * m + i]: columns stay apart
  const IterationSpace columns{{loop(0, m)}, {{{{1}, 0}, {{0}, m - 1}}}};
  const AccessRegion left = regionOf(write(0, {1, m}), columns, 0, 5, 0, m * m);
  const AccessRegion right = regionOf(write(0, {1, m}), columns, 5, 10, 0, m * m);
  EXPECT_FALSE(left.elements.overlaps(right.elements));
  EXPECT_EQ(left.elements.size() + right.elements.size(), m * (m + 1) / 2);
}

TEST(RegionOf, TriangularNestsOfManyRowsGetAHull) {
  const IterationSpace lower{{loop(0, 1000)}, {{{{0}, 0}, {{1}, 0}}}};
  const AccessRegion rows = regionOf(write(0, {1000, 1}), lower, 10, 500, 0, 1000000, 100);
  expectRegion(rows, {{10000, 499500}}, false);
}

TEST(RegionOf, LoopsInLoopsOfVaryingLength) {
  // for (j = i; j <= i + 1; ++j) for (k = 0; k <= j; ++k) a[100 * i + 10 * j + k]
  const IterationSpace space{{loop(0, 3)}, {{{{1}, 0}, {{1}, 1}}, {{{0}, 0}, {{0, 1}, 0}}}};
  expectRegion(regionOf(write(0, {100, 10, 1}), space, 0, 3, 0, 1000),
               {{0, 1}, {10, 12}, {110, 112}, {120, 123}, {220, 223}, {230, 234}}, true);
}

TEST(RegionOf, SlantedLoopsAreRectangular) {
  // for (k = i - 1; k <= i + 1; ++k) a[k - i + 5]: elements 4 to 6 whatever i is
  const IterationSpace space{{loop(0, 1000)}, {{{{1}, -1}, {{1}, 1}}}};
  expectRegion(regionOf(read(0, {-1, 1}, 5), space, 0, 1000, 0, 1000), {{4, 7}}, true);
  // A band of a matrix of a million rows: a[i * 3 + (k - i) + 1]
  const IterationSpace band{{loop(0, 1000000)}, {{{{1}, -1}, {{1}, 1}}}};
  expectRegion(regionOf(read(0, {2, 1}, 1), band, 1000, 500000, 0, 3000000), {{3000, 1500000}}, true);
}

TEST(RegionOf, StepsOfSeveralLoopsJoin) {
  // a[2 * i + 4 * j]: even elements, though there are 100 times as many pairs
  const IterationSpace space{{loop(0, 100), loop(0, 100)}, {}};
  const AccessRegion even = regionOf(write(0, {2, 4}), space, 0, 100, 0, 1000, 300);
  EXPECT_TRUE(even.exact);
  EXPECT_EQ(even.elements.size(), 298);
  // A gap remains: a[2 * i + 6 * j], i in [0, 2)
  expectRegion(regionOf(write(0, {2, 6}), space, 0, 2, 0, 20),
               {{0, 1}, {2, 3}, {6, 7}, {8, 9}, {12, 13}, {14, 15}, {18, 19}}, false);
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

// x / divisor, where x has these factors.
InnerVariable quotient(std::vector<std::int64_t> factors, std::int64_t constant, std::int64_t divisor) {
  return {{factors, constant}, {factors, constant}, divisor};
}

TEST(RegionOf, QuotientsAreExact) {
  const IterationSpace half{{loop(0, 1000000)}, {quotient({1}, 0, 2)}};
  expectRegion(regionOf(write(0, {0, 1}), half, 1000, 500001, 0, 500000), {{500, 250001}}, true);
  expectRegion(regionOf(read(0, {0, 3}, 1), half, 4, 7, 0, 100), {{7, 8}, {10, 11}}, true);
  // (i - 3) / 4 rounded down: below zero, too
  const IterationSpace quarter{{loop(0, 100)}, {quotient({1}, -3, 4)}};
  expectRegion(regionOf(read(0, {0, 1}, 1), quarter, 0, 9, 0, 100), {{0, 3}}, true);
  // a[i / 2 * m + j / 2]
  const IterationSpace both{{loop(0, 100), loop(0, 8)}, {quotient({1}, 0, 2), quotient({0, 1}, 0, 2)}};
  expectRegion(regionOf(read(0, {0, 0, m, 1}), both, 3, 6, 0, 500), {{10, 14}, {20, 24}}, true);
  // for (i = 1; i < ...; i += 6) a[i / 3], and a[i / 6]
  const IterationSpace third{{{1, 6, 1000}}, {quotient({1}, 0, 3)}};
  expectRegion(regionOf(write(0, {0, 1}), third, 1, 4, 0, 5000), {{2, 3}, {4, 5}, {6, 7}}, true);
  const IterationSpace sixth{{{1, 6, 1000}}, {quotient({1}, 0, 6)}};
  expectRegion(regionOf(write(0, {0, 1}), sixth, 1, 900, 0, 5000), {{1, 900}}, true);
}

TEST(RegionOf, QuotientsWithGapsAndWithCompany) {
  // a[3 * i / 2]: 0 1 3 4 6
  const IterationSpace gaps{{loop(0, 1000000)}, {quotient({3}, 0, 2)}};
  expectRegion(regionOf(write(0, {0, 1}), gaps, 0, 5, 0, 100), {{0, 2}, {3, 5}, {6, 7}}, true);
  expectRegion(regionOf(write(0, {0, 1}), gaps, 0, 100000, 0, 1000000), {{0, 149999}}, false);
  // a[i + i / 4], one by one or as a hull
  const IterationSpace frame{{loop(0, 1000000)}, {quotient({1}, 0, 4)}};
  expectRegion(regionOf(write(0, {1, 1}), frame, 2, 9, 0, 100), {{2, 4}, {5, 9}, {10, 11}}, true);
  expectRegion(regionOf(write(0, {1, 1}), frame, 400000, 500000, 0, 2000000), {{500000, 624999}}, false);
  // a[i - i / 4]: the hull keeps the relation of both
  const AccessRegion close = regionOf(read(0, {1, -1}), frame, 400000, 500000, 0, 2000000);
  EXPECT_EQ(close.elements, (IntervalSet{{300000, 375001}}));
  // for (k = 0; k <= i / 2 - 1; ++k) a[i * m + k]
  const IterationSpace triangle{{loop(0, 100)}, {quotient({1}, 0, 2), {{{}, 0}, {{0, 1}, -1}}}};
  expectRegion(regionOf(write(0, {m, 0, 1}), triangle, 1, 5, 0, 1000), {{20, 21}, {30, 31}, {40, 42}}, true);
  // i / 2 / 3
  const IterationSpace twice{{loop(0, 1000000)}, {quotient({1}, 0, 2), quotient({0, 1}, 0, 3)}};
  expectRegion(regionOf(write(0, {0, 0, 1}), twice, 5, 600000, 0, 1000000), {{0, 100000}}, true);
}

TEST(RegionOf, QuotientsByNothingAreUnknown) {
  const IterationSpace space{{loop(0, n)}, {quotient({1}, 0, 0), quotient({1}, 0, -3)}};
  expectRegion(regionOf(read(0, {0, 1}), space, 0, n, 0, 50), {{0, 50}}, false);
  expectRegion(regionOf(read(0, {0, 0, 1}), space, 0, n, 0, 50), {{0, 50}}, false);
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
    text << " by " << variable.divisor << "; ";
  }
  form(access.index);
  text << "; chunk [" << lo << ',' << hi << "), offset " << offset << ", count " << count;
  return text.str();
}

// Is every element of the region surely touched, as far as the map alone can tell?
bool mustBeExact(const Access& map, const IterationSpace& space) {
  if (map.conditional) return false;
  for (std::size_t i = 0; i < space.inner.size(); ++i) {
    const InnerVariable& variable = space.inner[i];
    const auto constant = [](const AffineForm& form) {
      return std::all_of(form.coefficients.begin(), form.coefficients.end(), [](std::int64_t c) { return c == 0; });
    };
    // A loop that the access does not need may be around it: only if it surely runs, the access surely happens.
    const bool surelyRuns =
        variable.smallest == variable.largest || (constant(variable.smallest) && constant(variable.largest) &&
                                                  variable.smallest.constant <= variable.largest.constant);
    if (!surelyRuns && !testing::needs(map, space, space.dims.size() + i)) return false;
  }
  return true;
}

struct Checked {
  int exact = 0, demanded = 0;
};

// Compares one map with the walk over its loops.
void check(const Access& map, const IterationSpace& space, std::int64_t lo, std::int64_t hi, std::int64_t offset,
           std::int64_t count, std::size_t maxIntervals, Checked& checked) {
  const AccessRegion region = regionOf(map, space, lo, hi, offset, count, maxIntervals);
  const std::string what = describe(map, space, lo, hi, offset, count);
  ASSERT_TRUE((Interval{0, count}.contains(region.elements.hull()))) << what;
  bool outside = false;
  for (const Nesting nesting : {Nesting::neededLoops, Nesting::allLoops}) {
    const IntervalSet expected = testing::asSet(testing::touched(map, space, lo, hi, offset, count, nesting, &outside));
    IntervalSet missed = expected;
    missed.subtract(region.elements);
    ASSERT_TRUE(missed.empty()) << "missed " << missed.toString() << ": " << what;
    if (region.exact) {
      ASSERT_EQ(region.elements, expected) << what;
    }
  }
  checked.exact += region.exact;
  std::size_t touches = 0;
  testing::forEachTouch(map, space, lo, hi, Nesting::neededLoops, [&](std::int64_t) { ++touches; });
  if (outside || touches > maxIntervals || maxIntervals < 4096 || !mustBeExact(map, space)) return;
  ASSERT_TRUE(region.exact) << what;
  ++checked.demanded;
}

TEST(RegionOf, AgreesWithTheOracle) {
  testing::Random random(2);
  Checked checked;
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
    const std::int64_t count = testing::pick(random, 0, testing::chance(random, 0.5) ? 150 : 1000);
    const auto maxIntervals =
        static_cast<std::size_t>(testing::chance(random, 0.8) ? 4096 : testing::pick(random, 1, 8));
    check(map, space, lo, hi, offset, count, maxIntervals, checked);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(checked.demanded, 3000);
  EXPECT_GT(checked.exact, checked.demanded);
}

// Matrices as programs walk them, all indexes inside the array: strided, reversed, by columns, triangles, bands,
// stencils of one to three dimensions of any reach.
struct Walk {
  Access map;
  IterationSpace space;
  std::int64_t count = 0;
};

Walk randomWalk(testing::Random& random) {
  const std::int64_t rows = testing::pick(random, 1, 9), columns = testing::pick(random, 1, 9);
  const std::int64_t planes = testing::pick(random, 1, 4), reach = testing::pick(random, 0, 4);
  const std::int64_t pitch = columns + 2 * reach, plane = pitch * (rows + 2 * reach);
  const auto shift = [&] { return testing::pick(random, -reach, reach); };
  Walk walk;
  switch (testing::pick(random, 0, 8)) {
    case 0: {  // a[s * i + k], a[s * (n - 1 - i) + k]
      const std::int64_t stride = testing::pick(random, 1, 5), k = testing::pick(random, 0, stride - 1);
      const bool reversed = testing::chance(random, 0.5);
      walk.space.dims = {loop(0, rows)};
      walk.map = read(0, {reversed ? -stride : stride}, reversed ? stride * (rows - 1) + k : k);
      walk.count = stride * rows;
      break;
    }
    case 1:  // a stencil in two dimensions, its inner loop a dimension or not
      walk.space.dims = {loop(reach, reach + rows)};
      if (testing::chance(random, 0.5)) {
        walk.space.dims.push_back(loop(reach, reach + columns));
      } else {
        walk.space.inner = {{{{0}, reach}, {{0}, reach + columns - 1}}};
      }
      walk.map = read(0, {pitch, 1}, shift() * pitch + shift());
      walk.count = plane;
      break;
    case 2:  // in three
      walk.space.dims = {loop(reach, reach + planes), loop(reach, reach + rows), loop(reach, reach + columns)};
      walk.map = read(0, {plane, pitch, 1}, shift() * plane + shift() * pitch + shift());
      walk.count = plane * (planes + 2 * reach);
      break;
    case 3:  // by columns
      walk.space.dims = {loop(0, columns), loop(0, rows)};
      walk.map = read(0, {1, columns});
      walk.count = rows * columns;
      break;
    case 4:  // the lower or the upper triangle, by rows or by columns
      walk.space.dims = {loop(0, rows)};
      walk.space.inner = {testing::chance(random, 0.5) ? InnerVariable{{{0}, 0}, {{1}, 0}}
                                                       : InnerVariable{{{1}, 0}, {{0}, rows - 1}}};
      walk.map = testing::chance(random, 0.5) ? read(0, {rows, 1}) : read(0, {1, rows});
      walk.count = rows * rows;
      break;
    case 5:  // a band
      walk.space.dims = {loop(reach, reach + rows)};
      walk.space.inner = {{{{1}, -reach}, {{1}, reach}}};
      walk.map = read(0, {rows + 2 * reach, 1});
      walk.count = (rows + 2 * reach) * (rows + 2 * reach);
      break;
    case 6: {  // several loops in one index: a[i * s + j * t + k]
      const std::int64_t s = testing::pick(random, 1, 9), t = testing::pick(random, 1, 9);
      walk.space.dims = {loop(0, rows), {columns - 1, -1, columns}};
      walk.space.inner = {{{{0}, 0}, {{0}, reach}}};
      walk.map = read(0, {s, t, 1});
      walk.count = s * rows + t * columns + reach;
      break;
    }
    case 7: {  // a coarser grid: a[(i + k) / d * pitch + (j + l) / d]
      const std::int64_t d = testing::pick(random, 2, 5);
      walk.space.dims = {loop(0, rows), {columns - 1, -1, columns}};
      walk.space.inner = {quotient({1}, testing::pick(random, 0, reach), d),
                          quotient({0, 1}, testing::pick(random, 0, reach), d)};
      walk.map = read(0, {0, 0, pitch, 1});
      walk.count = plane;
      break;
    }
    default:  // triangles in a triangle: for j <= i, for k <= j
      walk.space.dims = {loop(0, rows)};
      walk.space.inner = {{{{0}, 0}, {{1}, 0}}, {{{0}, 0}, {{0, 1}, 0}}};
      walk.map = read(0, {rows * rows, rows, 1});
      walk.count = rows * rows * rows;
      break;
  }
  return walk;
}

TEST(RegionOf, IsExactForLoopsOverMatrices) {
  testing::Random random(3);
  Checked checked;
  for (int round = 0; round < 10000; ++round) {
    const Walk walk = randomWalk(random);
    const std::int64_t lo = testing::pick(random, 0, walk.space.dims[0].count);
    const std::int64_t hi = testing::pick(random, lo, walk.space.dims[0].count);
    const std::int64_t offset = testing::pick(random, 0, 20);
    check(walk.map, walk.space, lo, hi, offset, walk.count + offset, 4096, checked);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
  EXPECT_EQ(checked.demanded, 10000);
}

}  // namespace
}  // namespace muster::cap
