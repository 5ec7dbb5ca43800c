// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a chunk that needs none of the data under way.
#include "executor/overlap.h"

#include <gtest/gtest.h>

namespace muster::cap {
namespace {

// for (i = 1; i < n - 1; ++i) for (j = 1; j < m - 1; ++j) v[i*m + j] = u[(i-1)*m + j] + u[(i+1)*m + j], or in place
LaunchSpec stencil(std::int64_t n, std::int64_t m, bool inPlace) {
  LaunchSpec spec;
  spec.space.dims = {{1, 1, n - 2}, {1, 1, m - 2}};
  spec.arrays = {{1, 0, n * m, 8}, {inPlace ? 1u : 2u, 0, n * m, 8}};
  const auto access = [&](std::uint16_t array, AccessMode mode, std::int64_t constant) {
    Access a;
    a.array = array;
    a.mode = mode;
    a.index = {{m, 1}, constant};
    return a;
  };
  spec.accesses = {access(0, AccessMode::read, -m), access(0, AccessMode::read, m), access(1, AccessMode::write, 0)};
  return spec;
}

Chunk chunkOf(std::int64_t lo, std::int64_t hi) {
  Chunk chunk;
  chunk.memory = 3;
  chunk.lo = lo;
  chunk.hi = hi;
  return chunk;
}

constexpr std::int64_t kRows = 100, kColumns = 50;

// Row r of u, columns 1 to m - 2.
Copy row(std::uint32_t array, std::int64_t r, MemoryId to) {
  return {array, 8, {r * kColumns + 1, (r + 1) * kColumns - 1}, 0, to};
}

TEST(ExecutorOverlap, GhostRowsCostOneIterationAtEachEnd) {
  const LaunchSpec spec = stencil(kRows, kColumns, false);
  // Iterations [20, 60) are rows 21 to 60; ghosts are rows 20 and 61.
  const std::vector<Copy> copies = {row(1, 20, 3), row(1, 61, 3)};
  EXPECT_EQ(interiorOf(spec, chunkOf(20, 60), copies), (Interval{21, 59}));
}

TEST(ExecutorOverlap, PartsTouchWhatTheirIterationsTouch) {
  const LaunchSpec spec = stencil(kRows, kColumns, false);
  const std::vector<Copy> copies = {row(1, 20, 3), row(1, 61, 3)};
  const ChunkParts parts = cutAtInterior(spec, chunkOf(20, 60), copies);
  EXPECT_EQ(parts.interior, (Interval{21, 59}));
  const auto rows = [](std::int64_t first, std::int64_t last) {
    return Interval{first * kColumns + 1, (last + 1) * kColumns - 1};
  };
  // u is read one row beyond what is written of v.
  EXPECT_EQ(parts.touched[0], (std::vector<Interval>{rows(20, 22), rows(21, 21)}));
  EXPECT_EQ(parts.touched[1], (std::vector<Interval>{rows(21, 60), rows(22, 59)}));
  EXPECT_EQ(parts.touched[2], (std::vector<Interval>{rows(59, 61), rows(60, 60)}));
}

TEST(ExecutorOverlap, ChunkThatWaitsForNothingIsAllInterior) {
  const ChunkParts parts = cutAtInterior(stencil(kRows, kColumns, false), chunkOf(20, 60), {});
  EXPECT_EQ(parts.interior, (Interval{20, 60}));
  EXPECT_EQ(parts.touched[0], (std::vector<Interval>(2)));
  EXPECT_EQ(parts.touched[2], (std::vector<Interval>(2)));
}

TEST(ExecutorOverlap, CopiesToOtherMemoriesDoNotMatter) {
  const LaunchSpec spec = stencil(kRows, kColumns, false);
  const std::vector<Copy> copies = {row(1, 30, 4), row(2, 40, 2)};
  EXPECT_EQ(interiorOf(spec, chunkOf(20, 60), copies), (Interval{20, 60}));
}

TEST(ExecutorOverlap, DataForTheMiddleLeavesOneSide) {
  const LaunchSpec spec = stencil(kRows, kColumns, false);
  // Rows 40 and 41 are read by the iterations of rows 39 to 42.
  EXPECT_EQ(interiorOf(spec, chunkOf(20, 60), std::vector<Copy>{row(1, 41, 3), row(1, 40, 3)}), (Interval{20, 38}));
  EXPECT_EQ(interiorOf(spec, chunkOf(20, 60), std::vector<Copy>{row(1, 36, 3), row(1, 41, 3)}), (Interval{42, 60}));
  EXPECT_TRUE(interiorOf(spec, chunkOf(20, 21), std::vector<Copy>{row(1, 20, 3)}).empty());
}

// Half of the devices leave the set: the other half keeps what it has, and gets as much again.
TEST(ExecutorOverlap, WhatAChunkHadBeforeIsItsInterior) {
  const LaunchSpec spec = stencil(kRows, kColumns, false);
  std::vector<Copy> upper, lower;
  for (std::int64_t r = 41; r <= 61; ++r) upper.push_back(row(1, r, 3));
  for (std::int64_t r = 20; r <= 41; ++r) lower.push_back(row(1, r, 3));
  EXPECT_EQ(interiorOf(spec, chunkOf(20, 60), upper), (Interval{20, 39}));
  EXPECT_EQ(interiorOf(spec, chunkOf(20, 60), lower), (Interval{42, 60}));
  upper.insert(upper.end(), lower.begin(), lower.end());
  EXPECT_TRUE(interiorOf(spec, chunkOf(20, 60), upper).empty());
}

TEST(ExecutorOverlap, WhatAPartWouldOverwriteCountsToo) {
  const LaunchSpec spec = stencil(kRows, kColumns, false);
  // Row 25 of v arrives: the iteration that writes it must wait, or the copy would undo it.
  EXPECT_EQ(interiorOf(spec, chunkOf(20, 60), std::vector<Copy>{row(2, 25, 3)}), (Interval{25, 60}));
}

TEST(ExecutorOverlap, AnUnboundedReadOfAnArrivingArrayWaits) {
  LaunchSpec spec = stencil(kRows, kColumns, false);
  spec.accesses[0].unbounded = true;
  EXPECT_TRUE(interiorOf(spec, chunkOf(20, 60), std::vector<Copy>{row(1, 99, 3)}).empty());
}

TEST(ExecutorOverlap, SmallChunksStartInOnePiece) {
  EXPECT_FALSE(worthOverlapping(stencil(kRows, kColumns, false), chunkOf(0, 98)));
  EXPECT_TRUE(worthOverlapping(stencil(5000, 5000, false), chunkOf(0, 100)));
  EXPECT_TRUE(worthOverlapping(stencil(4, INT64_MAX / 4, false), chunkOf(0, 2000)));
}

}  // namespace
}  // namespace muster::cap
