// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From loop dimensions to work-groups.
#include "stream/launch_shape.h"

#include <gtest/gtest.h>

namespace muster::cdm {

namespace {

constexpr GroupLimits roomy = {1024, {1024, 1024, 64}};

}  // namespace

TEST(GroupSize, Defaults) {
  EXPECT_EQ(groupSize(1, roomy), (Axes{256, 1, 1}));
  EXPECT_EQ(groupSize(2, roomy), (Axes{64, 4, 1}));
  EXPECT_EQ(groupSize(3, roomy), (Axes{32, 4, 2}));
}

TEST(GroupSize, ShrinksToTheDevice) {
  EXPECT_EQ(groupSize(1, {100, {1024, 1024, 64}}), (Axes{64, 1, 1}));
  EXPECT_EQ(groupSize(1, {1024, {50, 1, 1}}), (Axes{32, 1, 1}));
  EXPECT_EQ(groupSize(2, {1024, {1024, 1, 1}}), (Axes{64, 1, 1}));
  EXPECT_EQ(groupSize(3, {64, {1024, 1024, 64}}), (Axes{32, 2, 1}));
  EXPECT_EQ(groupSize(3, {1, {1, 1, 1}}), (Axes{1, 1, 1}));
}

TEST(GroupSize, ShrinkEndsAtOne) {
  Axes group = groupSize(3, roomy);
  int steps = 0;
  while (shrink(group)) ++steps;
  EXPECT_EQ(steps, 8);  // 256 = 2^8
  EXPECT_EQ(group, (Axes{1, 1, 1}));
}

const Schedule innermostFirst;

TEST(CutIntoPieces, OrdinaryLaunchIsOnePiece) {
  const muster_dim dims[] = {{0, 1, 100}, {5, 2, 7}};
  const auto pieces = cutIntoPieces(dims, 20, 30, {64, 4, 1}, innermostFirst);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0], (Piece{{20, 0, 0}, {30, 7, 1}}));
}

TEST(CutIntoPieces, NoIterationIsNoPiece) {
  const muster_dim dims[] = {{0, 1, 100}, {0, 1, 0}};
  EXPECT_TRUE(cutIntoPieces(dims, 0, 100, {64, 4, 1}, innermostFirst).empty());
  const muster_dim one[] = {{0, 1, 100}};
  EXPECT_TRUE(cutIntoPieces(one, 40, 40, {256, 1, 1}, innermostFirst).empty());
}

TEST(CutIntoPieces, OuterAxesStayWithinWhatDevicesTake) {
  const std::int64_t rows = 3 * 65535 * 4 + 1;
  const muster_dim dims[] = {{0, 1, rows}, {0, 1, 10}};
  const auto pieces = cutIntoPieces(dims, 1, rows, {64, 4, 1}, innermostFirst);
  ASSERT_EQ(pieces.size(), 3u);
  std::int64_t next = 1;
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.lo[0], next);
    next = piece.hi[0];
    EXPECT_EQ(piece.hi[1], 10);
    EXPECT_LE(groupsFor(2, piece, {64, 4, 1}, 0, innermostFirst)[1], 65535u);
  }
  EXPECT_EQ(next, rows);
}

TEST(CutIntoPieces, BlocksThatBeginInFrontOfAPieceHaveRoom) {
  const std::int64_t rows = 2 * 65535 * 8;
  const muster_dim dims[] = {{0, 1, rows}, {0, 1, 10}};
  const Axes tile = {64, 8, 1}, shift = {3, 1, 0};
  const auto pieces = cutIntoPieces(dims, 0, rows, tile, innermostFirst, shift);
  ASSERT_EQ(pieces.size(), 3u);
  for (const Piece& piece : pieces) EXPECT_LE(groupsFor(2, piece, tile, 0, innermostFirst, shift)[1], 65535u);
}

TEST(CutIntoPieces, StripsOfRowsHaveLayersThatACacheHolds) {
  const muster_dim dims[] = {{0, 1, 90}, {0, 1, 1000}, {0, 1, 600}};
  const Axes tile = {64, 8, 4}, shift = {15, 0, 0};
  EXPECT_EQ(cutIntoPieces(dims, 2, 70, tile, innermostFirst, shift).size(), 1u);
  const auto pieces = cutIntoPieces(dims, 2, 70, tile, innermostFirst, shift, 8);
  ASSERT_EQ(pieces.size(), 3u);  // 2 MiB are 436 rows
  std::int64_t next = 0;
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.lo, (std::array<std::int64_t, 3>{2, next, 0}));
    next = std::min<std::int64_t>(1000, next + 336);
    EXPECT_EQ(piece.hi, (std::array<std::int64_t, 3>{70, next, 600}));
  }
  EXPECT_EQ(cutIntoPieces(dims, 2, 70, tile, innermostFirst, shift, 4).size(), 2u);
  // Rows that are longer than that come one group after the other.
  const muster_dim lengthy[] = {{0, 1, 90}, {0, 1, 12}, {0, 1, 6000000}};
  EXPECT_EQ(cutIntoPieces(lengthy, 0, 90, tile, innermostFirst, shift, 8).size(), 2u);
}

TEST(ShiftOf, AxesWithWideAccesses) {
  EXPECT_EQ(shiftOf({{4, 2, 1}, 1, 0, 0, {0}, 0, {0, 0}, 0, 0, 0}), (Axes{3, 0, 0}));
  EXPECT_EQ(shiftOf({{4, 2, 1}, 3, 0, 0, {0}, 0, {0, 0}, 0, 0, 0}), (Axes{3, 1, 0}));
  EXPECT_EQ(shiftOf({{1, 2, 4}, 1, 0, 0, {0}, 0, {0, 0}, 0, 0, 0}), (Axes{MUSTER_SCHEDULE_LINE - 1, 0, 0}));
  EXPECT_EQ(shiftOf({{8, 4, 1}, 0, 0, 0, {0}, 0, {0, 0}, 0, 0, 0}), (Axes{0, 0, 0}));
}

TEST(CutIntoPieces, LongRowsAreFine) {
  const muster_dim dims[] = {{0, 1, std::int64_t{1} << 35}};
  EXPECT_EQ(cutIntoPieces(dims, 0, dims[0].count, {256, 1, 1}, innermostFirst).size(), 1u);
}

TEST(CutIntoPieces, TheScheduleSaysWhichDimensionMayBeLong) {
  const std::int64_t rows = 3 * 65535 * 4 + 1;
  const muster_dim dims[] = {{0, 1, rows}, {0, 1, 10}};
  EXPECT_EQ(cutIntoPieces(dims, 1, rows, {64, 4, 1}, {{1, 0, 2}, 0}).size(), 1u);
}

TEST(Schedule, ArraysBehindTheMaskAreNotPrivatized) {
  Schedule schedule;
  schedule.privatized = 0x80000001;
  for (const std::size_t array : {0, 31}) EXPECT_TRUE(schedule.isPrivatized(array)) << array;
  for (const std::size_t array : {1, 30, 32, 33, 63, 64}) EXPECT_FALSE(schedule.isPrivatized(array)) << array;
}

TEST(GroupsFor, TheScheduleSaysWhichDimensionLiesAlongAnAxis) {
  EXPECT_EQ(groupsFor(2, {{0, 0, 0}, {5, 65, 1}}, {64, 4, 1}, 0, {{1, 0, 2}, 0}), (Axes{1, 17, 1}));
  EXPECT_EQ(groupsFor(3, {{0, 0, 0}, {3, 4, 33}}, {32, 4, 2}, 0, {{1, 2, 0}, 0}), (Axes{1, 1, 17}));
}

TEST(GroupsFor, RoundsUp) {
  EXPECT_EQ(groupsFor(1, {{10, 0, 0}, {267, 1, 1}}, {256, 1, 1}, 0, innermostFirst), (Axes{2, 1, 1}));
  EXPECT_EQ(groupsFor(2, {{0, 0, 0}, {5, 65, 1}}, {64, 4, 1}, 0, innermostFirst), (Axes{2, 2, 1}));
  EXPECT_EQ(groupsFor(3, {{0, 0, 0}, {3, 4, 33}}, {32, 4, 2}, 0, innermostFirst), (Axes{2, 1, 2}));
}

TEST(GroupsFor, BlocksMayBeginInFrontOfTheFirstIteration) {
  EXPECT_EQ(groupsFor(2, {{0, 0, 0}, {8, 64, 1}}, {64, 8, 1}, 0, innermostFirst, {0, 0, 0}), (Axes{1, 1, 1}));
  EXPECT_EQ(groupsFor(2, {{0, 0, 0}, {8, 64, 1}}, {64, 8, 1}, 0, innermostFirst, {3, 0, 0}), (Axes{2, 1, 1}));
  EXPECT_EQ(groupsFor(2, {{0, 0, 0}, {8, 64, 1}}, {64, 8, 1}, 0, innermostFirst, {3, 1, 0}), (Axes{2, 2, 1}));
}

TEST(GroupsFor, LimitTakesTheOutermostAxisFirst) {
  EXPECT_EQ(groupsFor(1, {{0, 0, 0}, {1000000, 1, 1}}, {256, 1, 1}, 100, innermostFirst), (Axes{100, 1, 1}));
  // 10 x 250 groups in 100.
  EXPECT_EQ(groupsFor(2, {{0, 0, 0}, {1000, 640, 1}}, {64, 4, 1}, 100, innermostFirst), (Axes{10, 10, 1}));
  EXPECT_EQ(groupsFor(2, {{0, 0, 0}, {1000, 640, 1}}, {64, 4, 1}, 3, innermostFirst), (Axes{3, 1, 1}));
  const std::int64_t huge = std::int64_t{1} << 62;
  const Axes groups = groupsFor(3, {{0, 0, 0}, {huge, huge, huge}}, {32, 4, 2}, 1000, innermostFirst);
  EXPECT_LE(groups[0] * groups[1] * groups[2], 1000u);
}

}  // namespace muster::cdm
