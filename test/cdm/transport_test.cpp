// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transports that need no launcher: loopback with several numbers of ranks, and local.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "loan_cases.h"
#include "muster/cdm/launcher.h"
#include "muster/cdm/transports.h"
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
  runOnAll(makeLoopbackTransports(ranks, {.smallest = 5, .largest = 64, .allBytes = 256, .bareRooms = 3}), testCase);
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
    for (const char* name :
         {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
          "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMIX_RANK", "SLURM_PROCID", "SLURM_LOCALID",
          "SLURM_NODEID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"}) {
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

std::array<int, 4> place() {
  const LaunchedPlace found = launchedPlace();
  return {found.rank, found.size, found.localRank, found.localSize};
}

TEST_F(Launcher, SaysWhichRankOfTheHostThisIs) {
  EXPECT_EQ(place(), (std::array{0, 1, 0, 1}));
  setenv("PMI_SIZE", "6", 1);
  setenv("PMI_RANK", "4", 1);
  EXPECT_EQ(place(), (std::array{4, 6, 4, 6})) << "not every launcher tells of the host";
  setenv("MPI_LOCALRANKID", "1", 1);
  setenv("MPI_LOCALNRANKS", "3", 1);
  EXPECT_EQ(place(), (std::array{4, 6, 1, 3}));
  setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
  setenv("OMPI_COMM_WORLD_RANK", "7", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "3", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "4", 1);
  EXPECT_EQ(place(), (std::array{7, 8, 3, 4}));
}

TEST_F(Launcher, SlurmListsTheTasksOfEachNode) {
  setenv("SLURM_PROCID", "9", 1);
  setenv("SLURM_STEP_NUM_TASKS", "11", 1);
  setenv("SLURM_LOCALID", "1", 1);
  setenv("SLURM_STEP_TASKS_PER_NODE", "4(x2),3", 1);
  setenv("SLURM_NODEID", "2", 1);
  EXPECT_EQ(place(), (std::array{9, 11, 1, 3}));
  setenv("SLURM_NODEID", "1", 1);
  EXPECT_EQ(place(), (std::array{9, 11, 1, 4}));
}

TEST_F(Launcher, APlaceThatCannotBeIsMovedIntoTheJob) {
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  setenv("OMPI_COMM_WORLD_RANK", "5", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "0", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "x", 1);
  EXPECT_EQ(place(), (std::array{1, 2, 0, 1}));
}

TEST_F(Launcher, NonsenseIsNoLauncher) {
  for (const char* value : {"", "x", "3x", "-4", "0", "99999999999999"}) {
    setenv("OMPI_COMM_WORLD_SIZE", value, 1);
    EXPECT_FALSE(underMpiLauncher()) << value;
  }
}

}  // namespace
}  // namespace muster::cdm::test
