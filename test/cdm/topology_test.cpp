// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of a host's hardware threads.
#include "core/topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <string>

#include "muster/cdm/host.h"
#include "test_directory.h"

namespace muster::cdm::test {

TEST(ShareOf, SplitsTheHostAmongItsRanks) {
  EXPECT_EQ(shareOf(16, 16, 0, 1), 16u);
  EXPECT_EQ(shareOf(16, 16, 3, 4), 4u);
  EXPECT_EQ(shareOf(16, 0, 3, 4), 4u);  // no launcher known
}

TEST(ShareOf, UsesEveryThreadOnceAndNoneTwice) {
  for (unsigned threads = 1; threads <= 20; ++threads)
    for (int ranks = 1; ranks <= 24; ++ranks) {
      unsigned sum = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_GE(shareOf(threads, threads, rank, ranks), 1u);
        sum += shareOf(threads, threads, rank, ranks);
      }
      EXPECT_EQ(sum, std::max(threads, static_cast<unsigned>(ranks)));
    }
}

TEST(ShareOf, BoundRanksKeepWhatTheyWereGiven) {
  EXPECT_EQ(shareOf(1, 16, 0, 2), 1u);  // bound to a core each
  EXPECT_EQ(shareOf(4, 16, 1, 4), 4u);  // four each
  EXPECT_EQ(shareOf(8, 16, 2, 4), 4u);  // two ranks to a socket
  EXPECT_EQ(shareOf(8, 16, 1, 1), 8u);
}

TEST(CpuThreadShare, OmpNumThreadsWins) {
  {
    const ScopedVariable variable("OMP_NUM_THREADS", "7");
    EXPECT_EQ(cpuThreadShare(1, 4), 7u);
  }
  {
    const ScopedVariable variable("OMP_NUM_THREADS", "5,2");
    EXPECT_EQ(cpuThreadShare(0, 1), 5u);
  }
}

TEST(CpuThreadShare, NonsenseInOmpNumThreadsIsIgnored) {
  for (const char* text : {"", "none", "0", "-3"}) {
    const ScopedVariable variable("OMP_NUM_THREADS", text);
    EXPECT_GE(cpuThreadShare(0, 1), 1u);
    EXPECT_LT(cpuThreadShare(0, 1), 1u << 20);
  }
}

namespace {

// Of all threads: earlier tests may have started some.
void bindProcess(const cpu_set_t& to) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    EXPECT_EQ(sched_setaffinity(std::stoi(task.path().filename().string()), sizeof to, &to), 0);
}

}  // namespace

TEST(CpuThreadShare, RespectsTheProcessBinding) {
  const ScopedVariable variable("OMP_NUM_THREADS", nullptr);
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cpuThreadShare(0, 1), static_cast<unsigned>(CPU_COUNT(&before)));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  bindProcess(one);
  EXPECT_EQ(cpuThreadShare(0, 1), 1u);
  bindProcess(before);
}

TEST(CpuModel, HasAName) { EXPECT_FALSE(cpuModel().name.empty()); }

}  // namespace muster::cdm::test
