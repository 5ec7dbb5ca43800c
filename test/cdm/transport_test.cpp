// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transports that need no launcher: loopback with several numbers of ranks, and local.
#include <gtest/gtest.h>

#include <thread>

#include "loan_cases.h"
#include "muster/cdm/remote.h"
#include "transport/tree.h"
#include "transport_cases.h"

namespace muster::cdm::test {
namespace {

using LoopbackParam = std::tuple<int, TransportCase>;

class Loopback : public testing::TestWithParam<LoopbackParam> {};

void runOnAll(const std::vector<std::unique_ptr<Transport>>& transports, const TransportCase& testCase) {
  std::vector<std::thread> threads;
  for (const auto& transport : transports) {
    threads.emplace_back([&t = *transport, run = testCase.run] {
      run(t);
      const Status status = t.shutdown();
      EXPECT_TRUE(status.ok()) << status.message();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::string nameOf(const testing::TestParamInfo<LoopbackParam>& info) {
  return std::string(std::get<1>(info.param).name) + "_" + std::to_string(std::get<0>(info.param));
}

TEST_P(Loopback, Case) {
  const auto& [ranks, testCase] = GetParam();
  runOnAll(makeLoopbackTransports(ranks), testCase);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Loopback,
                         testing::Combine(testing::Values(1, 2, 3, 7), testing::ValuesIn(transportCases)), nameOf);

class LoopbackLoans : public Loopback {};

TEST_P(LoopbackLoans, Case) {
  const auto& [ranks, testCase] = GetParam();
  runOnAll(makeLoopbackTransports(ranks, {.smallest = 5, .largest = 64, .allBytes = 256}), testCase);
}

TEST_P(LoopbackLoans, WithoutSharedMemory) {
  const auto& [ranks, testCase] = GetParam();
  runOnAll(makeLoopbackTransports(ranks), testCase);
}

INSTANTIATE_TEST_SUITE_P(Ranks, LoopbackLoans,
                         testing::Combine(testing::Values(1, 2, 3, 7), testing::ValuesIn(loanCases)), nameOf);

TEST(Loopback, AbortEndsTheProcessWithItsCode) {
  EXPECT_EXIT(makeLoopbackTransports(2)[1]->abort(7), testing::ExitedWithCode(7), "");
}

TEST(Loopback, DroppedReceiveTakesNoMessage) {
  const auto transports = makeLoopbackTransports(2);
  Bytes dropped(4), kept(4);
  mustReceive(*transports[1], 0, 1, dropped).reset();
  mustSend(*transports[0], 1, 1, pattern(4, 1));
  RequestPtr request = mustReceive(*transports[1], 0, 1, kept);
  mustWait(*transports[1], {&request, 1});
  EXPECT_EQ(kept, pattern(4, 1));
  EXPECT_EQ(dropped, Bytes(4));
}

TEST(Local, HasOneRank) {
  const auto transport = makeLocalTransport();
  EXPECT_EQ(transport->size(), 1);
  EXPECT_EQ(transport->rank(), 0);
  EXPECT_FALSE(transport->hostName().empty());
  wrongCallsAreRefused(*transport);
  allGatherOfDifferentLengths(*transport);
  EXPECT_TRUE(transport->postCommand(Bytes(10)).ok());
  EXPECT_TRUE(transport->barrier().ok());
  EXPECT_TRUE(transport->shutdown().ok());
}

TEST(Local, AbortEndsTheProcessWithItsCode) {
  EXPECT_EXIT(makeLocalTransport()->abort(9), testing::ExitedWithCode(9), "");
}

TEST(CommandTree, ReachesEveryRankOnce) {
  for (const int size : {1, 2, 5, 6, 21, 22, 1000}) {
    std::vector<int> reached(static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
      for (int child = firstTreeChild(rank, size); child < lastTreeChild(rank, size); ++child) {
        ++reached[static_cast<std::size_t>(child)];
        EXPECT_EQ(treeParent(child), rank);
      }
    }
    EXPECT_EQ(reached[0], 0);
    EXPECT_TRUE(std::all_of(reached.begin() + 1, reached.end(), [](int n) { return n == 1; })) << size;
  }
}

class Launcher : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Launcher, IsSeenInTheEnvironment) {
  EXPECT_FALSE(underMpiLauncher());
  setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  EXPECT_FALSE(underMpiLauncher());
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_TRUE(underMpiLauncher());
}

TEST_F(Launcher, PmiAndSlurmSteps) {
  setenv("SLURM_STEP_NUM_TASKS", "8", 1);
  EXPECT_FALSE(underMpiLauncher());
  setenv("SLURM_PROCID", "0", 1);
  EXPECT_TRUE(underMpiLauncher());
  unsetenv("SLURM_PROCID");
  setenv("PMI_SIZE", "2", 1);
  EXPECT_TRUE(underMpiLauncher());
}

TEST_F(Launcher, NonsenseIsNoLauncher) {
  for (const char* value : {"", "x", "3x", "-4", "0", "99999999999999"}) {
    setenv("OMPI_COMM_WORLD_SIZE", value, 1);
    EXPECT_FALSE(underMpiLauncher()) << value;
  }
}

}  // namespace
}  // namespace muster::cdm::test
