// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hazards between operations of several queues: which ones wait, and that a log of bounded size forgets nothing.
#include "stream/hazards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace muster::cdm::test {

namespace {

constexpr auto kernels = static_cast<std::size_t>(Lane::kernels), writes = static_cast<std::size_t>(Lane::writes),
               reads = static_cast<std::size_t>(Lane::reads);

Clock after(const AccessLog& log, ByteRange range, bool write) {
  Clock clock = {};
  log.conflicts(range, write, clock);
  return clock;
}

TEST(AccessLog, ReadsWaitForWritesOfTheirBytesOnly) {
  AccessLog log;
  log.add({0, 100}, true, Lane::kernels, 7, {});
  EXPECT_EQ(after(log, {50, 60}, false)[kernels], 7u);
  EXPECT_EQ(after(log, {99, 200}, false)[kernels], 7u);
  EXPECT_EQ(after(log, {100, 200}, false), Clock{});
  EXPECT_EQ(after(log, {50, 50}, false), Clock{});
}

TEST(AccessLog, WritesWaitForReadsAndWrites) {
  AccessLog log;
  log.add({0, 100}, true, Lane::kernels, 7, {});
  log.add({40, 60}, false, Lane::reads, 3, {});
  EXPECT_EQ(after(log, {50, 55}, true)[kernels], 7u);
  EXPECT_EQ(after(log, {50, 55}, true)[reads], 3u);
  EXPECT_EQ(after(log, {50, 55}, false)[reads], 0u);
}

TEST(AccessLog, AWriteMakesWhatItCoversSuperfluous) {
  AccessLog log;
  log.add({10, 20}, true, Lane::kernels, 1, {});
  log.add({10, 20}, false, Lane::reads, 1, {});
  log.add({0, 30}, true, Lane::writes, 1, {});
  EXPECT_EQ(log.size(), 1u);
  EXPECT_EQ(after(log, {15, 16}, true)[writes], 1u);
}

TEST(AccessLog, AReadMakesReadsOfItsOwnLaneSuperfluousOnly) {
  AccessLog log;
  log.add({10, 20}, false, Lane::kernels, 1, {});
  log.add({10, 20}, false, Lane::reads, 1, {});
  log.add({10, 20}, false, Lane::reads, 2, {});
  EXPECT_EQ(log.size(), 2u);
  EXPECT_EQ(after(log, {10, 20}, true)[kernels], 1u);
  EXPECT_EQ(after(log, {10, 20}, true)[reads], 2u);
}

TEST(AccessLog, ForgetsWhatIsComplete) {
  AccessLog log;
  for (std::uint64_t number = 1; number <= 10; ++number) {
    Clock completed = {};
    completed[reads] = number - 1;
    log.add({10 * number, 10 * number + 5}, false, Lane::reads, number, completed);
  }
  EXPECT_EQ(log.size(), 1u);
}

// Against a list of all accesses: an operation never waits for less than it must, and knows of order that is implied.
TEST(AccessLog, IsNeverForgetful) {
  struct Past {
    ByteRange range;
    bool write;
    std::size_t lane;
    std::uint64_t number;
    Clock after;  // what this access came after, itself included
  };
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    AccessLog log;
    std::vector<Past> all;
    Clock issued = {};
    for (int i = 0; i < 200; ++i) {
      const std::size_t begin = random() % 1000;
      const ByteRange range{begin, begin + 1 + random() % (seed % 2 ? 20 : 400)};
      const bool write = random() % 2;
      const std::size_t lane = random() % lanes;
      const Clock direct = after(log, range, write);
      Clock known = direct;  // with all that those come after
      for (const Past& past : all)
        for (std::size_t l = 0; l < lanes; ++l)
          if (past.lane == lane || past.number <= direct[past.lane]) known[l] = std::max(known[l], past.after[l]);
      for (const Past& past : all) {
        if (past.range.overlaps(range) && (write || past.write)) {
          ASSERT_GE(known[past.lane], past.number) << "seed " << seed << ", operation " << i;
        }
      }
      known[lane] = ++issued[lane];
      all.push_back({range, write, lane, issued[lane], known});
      log.add(range, write, static_cast<Lane>(lane), issued[lane], {});
      ASSERT_LE(log.size(), 24u);
    }
  }
}

}  // namespace

}  // namespace muster::cdm::test
