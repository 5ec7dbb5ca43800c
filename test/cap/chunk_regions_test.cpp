// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of a launch: what one touches does not depend on what is known from those before it.
#include "chunk_regions.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace muster::cap
