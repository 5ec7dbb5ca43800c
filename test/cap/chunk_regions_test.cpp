// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of a launch: what one touches does not depend on what is known from those before it.
#include "plan/chunk_regions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nests.h"

namespace muster::cap {
namespace {

using testing::chance;
using testing::pick;
using testing::Random;

LaunchSpec randomLaunch(Random& random) {
  LaunchSpec spec;
  spec.space = testing::randomSpace(random, 6);
  spec.space.dims[0].count = pick(random, 10, 60);
  const std::size_t variables = spec.space.dims.size() + spec.space.inner.size();
  spec.arrays = {{0, pick(random, -5, 5), pick(random, 0, 400), 8}, {1, pick(random, -5, 5), pick(random, 0, 400), 8}};
  for (std::int64_t i = pick(random, 1, 6); i > 0; --i) {
    Access access = testing::access(static_cast<AccessMode>(pick(random, 0, 2)),
                                    static_cast<std::uint16_t>(pick(random, 0, 1)), {}, pick(random, -20, 60));
    for (std::size_t v = 0; v < variables; ++v)
      access.index.coefficients.push_back(chance(random, 0.3) ? 0 : pick(random, -9, 9));
    if (chance(random, 0.1)) access.index.coefficients.clear();
    if (chance(random, 0.02)) access.index.coefficients = {INT64_MAX};
    access.conditional = chance(random, 0.2);
    access.unbounded = chance(random, 0.05);
    spec.accesses.push_back(std::move(access));
  }
  return spec;
}

TEST(ChunkRegions, DoNotDependOnTheChunksBefore) {
  Random random(11);
  int several = 0;
  for (int round = 0; round < 3000; ++round) {
    const LaunchSpec spec = randomLaunch(random);
    const std::int64_t count = spec.space.dims[0].count;
    const std::size_t chunks = chance(random, 0.5) ? 1024 : 4;  // few rows apart, or many
    ChunkRegions together(spec, chunks);
    const std::int64_t length = pick(random, 1, 5);
    for (std::int64_t lo = 0; lo < count; ++several) {
      Chunk chunk, alone;
      chunk.lo = alone.lo = lo;
      chunk.hi = alone.hi = lo = std::min(count, lo + length + pick(random, 0, 1));
      together.fill(chunk);
      ChunkRegions fresh(spec, chunks);
      fresh.fill(alone);
      const ArrayGroup array{0, 8, {0}, nullptr};
      if (chance(random, 0.3)) {
        together.refill(chunk, array, Detail::fine);
        fresh.refill(alone, array, Detail::fine);
      }
      ASSERT_EQ(chunk.reads, alone.reads) << "round " << round << ", chunk at " << chunk.lo;
      ASSERT_EQ(chunk.writes, alone.writes) << "round " << round << ", chunk at " << chunk.lo;
      ASSERT_EQ(chunk.windows, alone.windows) << "round " << round << ", chunk at " << chunk.lo;
      ASSERT_TRUE(together.loose(array) || !fresh.loose(array)) << "round " << round << ", chunk at " << chunk.lo;
    }
  }
  EXPECT_GT(several, 20000);
}

// With a margin a chunk reads what a larger one reads, and writes what it writes without.
TEST(ChunkRegions, ReadForTheMarginAround) {
  Random random(12);
  for (int round = 0; round < 2000; ++round) {
    LaunchSpec spec = randomLaunch(random);
    for (Access& access : spec.accesses) access.mode = access.array == 0 ? AccessMode::read : AccessMode::write;
    const std::int64_t count = spec.space.dims[0].count;
    LaunchSpec around = spec;
    around.margin = pick(random, 1, 12);
    Chunk chunk, larger, own;
    own.lo = chunk.lo = pick(random, 0, count - 1);
    own.hi = chunk.hi = pick(random, chunk.lo + 1, count);
    larger.lo = std::max<std::int64_t>(0, chunk.lo - around.margin);
    larger.hi = std::min(count, chunk.hi + around.margin);
    ChunkRegions(around, 4).fill(chunk);
    ChunkRegions(spec, 4).fill(larger);
    ChunkRegions(spec, 4).fill(own);
    ASSERT_EQ(chunk.reads[0], larger.reads[0]) << "round " << round;
    ASSERT_EQ(chunk.reads[1], own.reads[1]) << "round " << round;
    ASSERT_EQ(chunk.writes, own.writes) << "round " << round;
  }
}

// Several fields of records, in loops that may skip some of them and of arrays that may end early.
LaunchSpec launchOverRecords(Random& random) {
  LaunchSpec spec;
  spec.space = testing::randomSpace(random, 6);
  spec.space.dims[0].count = pick(random, 5, 40);
  const std::size_t variables = spec.space.dims.size() + spec.space.inner.size();
  spec.arrays = {{0, pick(random, -5, 5), pick(random, 100, 1500), 8}, {1, 0, pick(random, 100, 1500), 8}};
  std::vector<std::int64_t> index;
  for (std::int64_t groups = pick(random, 1, 3); groups > 0; --groups) {
    const std::int64_t first = pick(random, -3, 60), fields = pick(random, 1, 5);
    if (index.empty() || chance(random, 0.5)) {
      index.clear();
      for (std::size_t v = 0; v < variables; ++v)
        index.push_back(chance(random, 0.2) ? 0 : pick(random, -3, 5) * (v == 0 ? 20 : fields));
    }
    const auto mode = static_cast<AccessMode>(pick(random, 0, 2));
    for (std::int64_t field = 0; field < fields; ++field) {
      if (chance(random, 0.1)) continue;
      Access access =
          testing::access(mode, static_cast<std::uint16_t>(chance(random, 0.8) ? 0 : 1), index, first + field);
      access.conditional = chance(random, 0.1);
      spec.accesses.push_back(std::move(access));
    }
  }
  std::shuffle(spec.accesses.begin(), spec.accesses.end(), random);
  return spec;
}

// Accesses to elements beside each other are looked at together: that must give what they touch one by one.
TEST(ChunkRegions, AccessesTogetherTouchWhatTheyTouchAlone) {
  Random random(12);
  int rows = 0, exact = 0;
  for (int round = 0; round < 4000; ++round) {
    const LaunchSpec spec = launchOverRecords(random);
    ChunkRegions regions(spec, 4);
    Chunk chunk;
    chunk.lo = pick(random, 0, 3);
    chunk.hi = pick(random, chunk.lo + 1, spec.space.dims[0].count);
    regions.fill(chunk);
    for (std::uint16_t p = 0; p < 2; ++p) {
      regions.refill(chunk, {p, 8, {p}, nullptr}, Detail::fine);
      IntervalSet reads, surely, perhaps;
      for (const Access& access : spec.accesses) {
        if (access.array != p) continue;
        const AccessRegion region = regionOf(access, spec.space, chunk.lo, chunk.hi, spec.arrays[p].offset,
                                             spec.arrays[p].count, std::size_t{1} << 16);
        if (access.mode != AccessMode::write) reads.add(region.elements);
        if (access.mode != AccessMode::read) (region.exact ? surely : perhaps).add(region.elements);
      }
      IntervalSet writes = surely;
      writes.add(perhaps);
      perhaps.subtract(surely);
      reads.add(perhaps);
      ASSERT_EQ(chunk.writes[p], writes) << "round " << round;
      // Where one of them leaves the array, none is sure.
      IntervalSet missing = reads, more = chunk.reads[p];
      missing.subtract(chunk.reads[p]);
      ASSERT_TRUE(missing.empty()) << "round " << round << ": " << missing.toString();
      more.subtract(reads);
      more.subtract(writes);
      ASSERT_TRUE(more.empty()) << "round " << round << ": " << more.toString();
      rows += writes.intervals() > 3 ? 1 : 0;
      exact += !writes.empty() && chunk.reads[p].empty() ? 1 : 0;
    }
  }
  EXPECT_GT(rows, 400);
  EXPECT_GT(exact, 400);
}

}  // namespace
}  // namespace muster::cap
