// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How launches are cut: weights, alignment, and that loops over arrays of one shape are cut alike.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nests.h"
#include "plan/row_cut.h"

namespace muster::cap {
namespace {

using testing::loop;
using testing::pick;
using testing::read;
using testing::write;

std::vector<DeviceSlot> devices(const std::vector<double>& weights) {
  std::vector<DeviceSlot> slots;
  for (std::size_t d = 0; d < weights.size(); ++d) {
    slots.push_back({static_cast<std::uint32_t>(d), static_cast<MemoryId>(d), weights[d]});
  }
  return slots;
}

// Two arrays of rows x columns elements.
LaunchSpec spec(std::vector<Dim> dims, std::int64_t rows, std::int64_t columns, std::vector<Access> accesses) {
  LaunchSpec result;
  result.space.dims = std::move(dims);
  result.arrays = {{0, 0, rows * columns, 8}, {1, 0, rows * columns, 8}};
  result.accesses = std::move(accesses);
  return result;
}

TEST(CutRows, FollowsTheWeights) {
  EXPECT_EQ(cutRows(20, {1, 1, 2}), (std::vector<std::int64_t>{0, 5, 10, 20}));
  EXPECT_EQ(cutRows(10, {1, 1, 1}), (std::vector<std::int64_t>{0, 3, 7, 10}));
  EXPECT_EQ(cutRows(2, {1, 1, 1}), (std::vector<std::int64_t>{0, 1, 1, 2}));
  EXPECT_EQ(cutRows(10, {0, 1, 0, 1, 0}), (std::vector<std::int64_t>{0, 0, 5, 5, 10, 10}));
  EXPECT_EQ(cutRows(10, {0, 0}), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(cutRows(0, {1, 1}), (std::vector<std::int64_t>{0, 0, 0}));
}

TEST(CutRows, AlignsWhereThereAreRowsEnough) {
  EXPECT_EQ(cutRows(16384, {1, 1, 1}), (std::vector<std::int64_t>{0, 5440, 10944, 16384}));  // multiples of 64
  EXPECT_EQ(cutRows(1000, {1, 1, 1}), (std::vector<std::int64_t>{0, 320, 672, 1000}));       // of 32
  for (const std::int64_t boundary : cutRows(1 << 20, {1, 999})) EXPECT_EQ(boundary % 64, 0);
}

TEST(CutRows, HugeRangesDoNotOverflow) {
  const std::int64_t rows = std::int64_t{1} << 61;
  const std::vector<std::int64_t> cut = cutRows(rows, std::vector<std::int64_t>(1024, 1 << 30));
  EXPECT_EQ(cut[512], rows / 2);
  EXPECT_EQ(cut.back(), rows);
}

TEST(ScaledWeights, StrangeWeightsTakeNoPart) {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::int64_t> scaled = scaledWeights(devices({1, 0, -1, nan, infinite, 0.5, 1e-300}));
  EXPECT_EQ(scaled[1] + scaled[2] + scaled[3] + scaled[4], 0);
  EXPECT_EQ(scaled[0], 2 * scaled[5]);
  EXPECT_EQ(scaled[6], 1);
}

TEST(Split, LoopsOverOneShapeAreCutAlike) {
  constexpr std::int64_t n = 50, m = 30;
  const std::vector<DeviceSlot> slots = devices({1, 2, 1.5});
  const auto all = split(spec({loop(0, n), loop(0, m)}, n, m, {write(1, {m, 1})}), slots);
  const std::vector<Interval> expected{{0, 11}, {11, 33}, {33, 50}};
  EXPECT_EQ(all, expected);

  // 1 .. n-1: iteration k is row k + 1.
  const std::vector<Interval> interior{{0, 10}, {10, 32}, {32, 48}};
  EXPECT_EQ(split(spec({loop(1, n - 1), loop(1, m - 1)}, n, m, {read(0, {m, 1}), write(1, {m, 1})}), slots), interior);
  // 0 .. n-2 that writes row i + 1.
  EXPECT_EQ(split(spec({loop(0, n - 2), loop(1, m - 1)}, n, m, {write(1, {m, 1}, m)}), slots), interior);
  // Downwards: the first device takes the last iterations.
  const std::vector<Interval> downwards{{39, 50}, {17, 39}, {0, 17}};
  EXPECT_EQ(split(spec({{n - 1, -1, n}, loop(0, m)}, n, m, {write(1, {m, 1})}), slots), downwards);
  EXPECT_EQ(split(spec({loop(0, n), loop(0, m)}, n, m, {write(1, {-m, 1}, (n - 1) * m)}), slots), downwards);
  EXPECT_EQ(split(spec({{n - 1, -1, n}, loop(0, m)}, n, m, {write(1, {-m, 1}, (n - 1) * m)}), slots), expected);
  // Every other row: row 2k + 1 for iteration k.
  const std::vector<Interval> odd{{0, 5}, {5, 16}, {16, 25}};
  EXPECT_EQ(split(spec({{1, 2, n / 2}, loop(0, m)}, n, m, {write(1, {m, 1})}), slots), odd);
  // Without writes, what is read counts.
  EXPECT_EQ(split(spec({loop(1, n - 1), loop(1, m - 1)}, n, m, {read(0, {m, 1}, -m), read(1, {m, 1})}), slots)[0],
            (Interval{0, 11}));
}

TEST(Split, ThePointersOffsetCounts) {
  LaunchSpec launch = spec({loop(0, 90)}, 100, 1, {write(0, {1})});
  launch.arrays[0].offset = 10;
  EXPECT_EQ(split(launch, devices({1, 1})), (std::vector<Interval>{{0, 42}, {42, 90}}));  // row 52: a multiple of 4
}

TEST(Split, SmallPartsOfAnArrayAreCutForThemselves) {
  constexpr std::int64_t n = 64, m = 30;
  // The first row only: the columns are shared out.
  EXPECT_EQ(split(spec({loop(0, m)}, n, m, {write(0, {1})}), devices({1, 1})),
            (std::vector<Interval>{{0, 15}, {15, 30}}));
  // Half of the rows.
  EXPECT_EQ(split(spec({loop(32, n), loop(0, m)}, n, m, {write(0, {m, 1})}), devices({1, 1})),
            (std::vector<Interval>{{0, 16}, {16, 32}}));
  // Nothing to follow.
  EXPECT_EQ(split(spec({loop(0, 10)}, n, m, {testing::unbounded(AccessMode::write, 0)}), devices({1, 0, 1})),
            (std::vector<Interval>{{0, 5}, {}, {5, 10}}));
}

TEST(Split, PlanesOfRowsAreCutByTheLoopVariable) {
  // f[q][i][j] with i split and q inside: the array has 9 times the rows that i goes through.
  constexpr std::int64_t planes = 9, n = 512, m = 30;
  const auto cutOf = [&](std::int64_t lo, std::int64_t hi) {
    LaunchSpec launch = spec({loop(lo, hi), loop(0, m)}, planes * n, m, {write(0, {m, 1, n * m})});
    launch.space.inner = {{{{0, 0}, 0}, {{0, 0}, planes - 1}}};
    return split(launch, devices({1, 1, 1, 1}))[1];
  };
  EXPECT_EQ(cutOf(0, n), (Interval{128, 256}));
  EXPECT_EQ(cutOf(1, n - 1), (Interval{127, 255}));
}

TEST(Split, OverflowingIndexesAreNotFollowed) {
  LaunchSpec launch = spec({{INT64_MAX - 10, 1, 10}}, 100, 1, {write(0, {INT64_MAX})});
  EXPECT_EQ(split(launch, devices({1, 1})), (std::vector<Interval>{{0, 5}, {5, 10}}));
  launch.accesses[0].index.coefficients = {INT64_MIN};
  EXPECT_EQ(split(launch, devices({1, 1})), (std::vector<Interval>{{0, 5}, {5, 10}}));
}

TEST(Split, NoIterationsNoDevices) {
  EXPECT_EQ(split(spec({loop(0, 0)}, 10, 1, {write(0, {1})}), devices({1, 1})), (std::vector<Interval>{{}, {}}));
  EXPECT_EQ(split(spec({loop(0, 10)}, 10, 1, {write(0, {1})}), {}), std::vector<Interval>{});
  EXPECT_EQ(split(spec({loop(0, 10)}, 10, 1, {write(0, {1})}), devices({0})), (std::vector<Interval>{{}}));
}

TEST(Split, CoversEachIterationOnce) {
  testing::Random random(4);
  for (int round = 0; round < 5000; ++round) {
    LaunchSpec launch;
    launch.space = testing::randomSpace(random, 200);
    launch.arrays = {{0, pick(random, -5, 5), pick(random, 1, 3000), 8}};
    std::vector<std::int64_t> coefficients;
    for (std::size_t v = 0; v < launch.space.dims.size() + launch.space.inner.size(); ++v) {
      coefficients.push_back(pick(random, -20, 20));
    }
    launch.accesses = {testing::access(testing::chance(random, 0.5) ? AccessMode::write : AccessMode::read, 0,
                                       coefficients, pick(random, -20, 20))};
    std::vector<double> weights;
    for (std::int64_t d = pick(random, 1, 6); d > 0; --d) {
      weights.push_back(testing::chance(random, 0.2) ? 0 : static_cast<double>(pick(random, 1, 1000)) / 7);
    }
    const std::vector<Interval> ranges = split(launch, devices(weights));
    ASSERT_EQ(ranges.size(), weights.size());
    std::int64_t total = 0;
    bool someone = false;
    IntervalSet together;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      if (weights[d] == 0) {
        ASSERT_EQ(ranges[d], Interval{});
      }
      someone |= weights[d] > 0;
      total += ranges[d].size();
      together.add(ranges[d]);
    }
    const std::int64_t count = launch.space.dims[0].count;
    ASSERT_EQ(total, someone ? count : 0);
    ASSERT_EQ(together, someone ? IntervalSet(Interval{0, count}) : IntervalSet());
  }
}

}  // namespace
}  // namespace muster::cap
