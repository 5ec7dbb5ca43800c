// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays whose contents nobody needs any more (the program freed them, and others come in their place): nothing is
// fetched, plans are found again, and what is written afterwards counts as ever.
#include <gtest/gtest.h>

#include "muster/cdm/transports.h"
#include "test_job.h"

namespace {

using muster::cap::Interval;
using muster::rt::testing::Pair;
using muster::rt::testing::TestJob;

struct Setup {
  int ranks;
  const char* devices;
  bool async = false;
  friend void PrintTo(const Setup& setup, std::ostream* out) {
    *out << muster::testing::testName({std::to_string(setup.ranks), setup.devices, setup.async ? "async" : ""});
  }
};

class Discard : public ::testing::TestWithParam<Setup> {
 protected:
  TestJob job{GetParam().ranks, GetParam().devices, {1, 3, 2}, {}, {.async = GetParam().async}};
  static constexpr std::size_t n = 5003;
  Pair<int> x{job, n};

  void onDevices() {
    x.write(job, 0, n, 5);
    programs::axpy(x.managed, n, 2);
    for (std::size_t i = 0; i < n; ++i) x.plain[i] += 2 * static_cast<int>(i);
  }
  std::int64_t moved(std::int64_t lo, std::int64_t hi, bool write) {
    const auto moved =
        job.controller().hostAccess(job.idOf(x.managed), muster::cap::IntervalSet(muster::cap::Interval{lo, hi}),
                                    write ? muster::cap::HostMode::write : muster::cap::HostMode::read);
    EXPECT_TRUE(moved.ok()) << moved.status().message();
    return moved.ok() ? *moved : -1;
  }
  [[nodiscard]] bool hostHasItAlone() {
    return job.node().state(job.idOf(x.managed))->heldOnlyBy(muster::cap::hostMemory).contains(Interval{0, n});
  }
};

TEST_P(Discard, TheHostGetsUndefinedContentsForNothing) {
  for (const bool write : {false, true}) {
    onDevices();
    ASSERT_TRUE(job.controller().discardContents(job.idOf(x.managed)).ok());
    EXPECT_TRUE(job.controller().isUndefined(job.idOf(x.managed)));
    EXPECT_EQ(moved(100, 101, write), 0);
    EXPECT_FALSE(job.controller().isUndefined(job.idOf(x.managed)));
    EXPECT_TRUE(hostHasItAlone());
    for (std::size_t i = 0; i < n; ++i) x.managed[i] = x.plain[i] = static_cast<int>(i) - 7;
    programs::axpy(x.managed, n, 3);
    for (std::size_t i = 0; i < n; ++i) x.plain[i] += 3 * static_cast<int>(i);
    x.expectSame(job, 0, n);
  }
}

TEST_P(Discard, WhatALaunchWroteAfterwardsIsFetched) {
  onDevices();
  ASSERT_TRUE(job.controller().discardContents(job.idOf(x.managed)).ok());
  programs::axpy(x.managed, n, 1);
  for (std::size_t i = 0; i < n; ++i) x.plain[i] += static_cast<int>(i);
  EXPECT_FALSE(job.controller().isUndefined(job.idOf(x.managed)));
  x.expectSame(job, 0, n);  // it read what was there before, too
}

TEST_P(Discard, WhatTheHostWroteBeforehandStays) {
  onDevices();
  x.write(job, 10, 20, 8);  // the host's own then
  ASSERT_TRUE(job.controller().discardContents(job.idOf(x.managed)).ok());
  EXPECT_EQ(moved(3000, 3001, false), 0);
  for (std::size_t i = 10; i < 20; ++i) EXPECT_EQ(x.managed[i], 8);
}

TEST_P(Discard, PlansAreFoundAgain) {
  std::size_t misses = 0;
  for (int step = 0; step < 8; ++step) {
    if (step % 2 == 1) moved(0, 1, true);
    programs::axpy(x.managed, n, step);
    ASSERT_TRUE(job.controller().discardContents(job.idOf(x.managed)).ok());
    if (step == 3) misses = job.node().plans().misses();
  }
  EXPECT_EQ(job.node().plans().misses(), misses);
  EXPECT_GT(job.node().plans().hits(), 0u);
}

TEST_P(Discard, AReleasedArrayIsForgotten) {
  onDevices();
  const auto id = job.idOf(x.managed);
  job.controller().discardContents(id);
  job.release(x.managed);
  EXPECT_FALSE(job.controller().isUndefined(id));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Discard,
                         ::testing::Values(Setup{1, "cpu"}, Setup{3, "cpu"}, Setup{1, "opencl"}, Setup{2, "opencl"},
                                           Setup{3, "cpu,opencl"}, Setup{2, "cpu", true}, Setup{1, "opencl", true},
                                           Setup{3, "cpu,opencl", true}),
                         ::testing::PrintToStringParamName());

}  // namespace
