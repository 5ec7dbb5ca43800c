// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dry runs: a program is planned for many ranks, its data stays as it is, and the report counts what would move.
#include "engine/model/dry_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/controller/controller.h"
#include "muster/cdm/host.h"
#include "muster/cdm/transports.h"

namespace muster::rt {
namespace {

cdm::DeviceInfo cpu() {
  cdm::DeviceInfo info;
  info.name = "a CPU";
  info.hostAddressable = true;
  return info;
}

DeviceTable tableOf(std::size_t ranks, std::size_t devicesPerRank = 1) {
  return DeviceTable::fromRanks(
      std::vector<DeviceTable::RankList>(ranks, {"test", std::vector<cdm::DeviceInfo>(devicesPerRank, cpu())}));
}

TEST(DryRunTraffic, CountsMessagesBetweenRanksOnly) {
  const DeviceTable table = tableOf(2, 2);
  std::vector<cap::MemoryId> at;  // two on rank 0, two on rank 1
  for (const cap::DevicePlace& place : table.places()) at.push_back(place.memory);
  cap::Plan plan;
  plan.copies = {{0, 8, {0, 10}, at[0], at[1]},
                 {0, 8, {0, 4}, at[0], at[2]},
                 {0, 8, {6, 9}, at[0], at[2]},
                 {1, 4, {0, 5}, at[1], at[3]}};
  const Traffic traffic = trafficOf(plan, ranksOf(table));
  EXPECT_EQ(traffic.bytes, 80u + 32u + 24u + 20u);
  EXPECT_EQ(traffic.messages, 2u);
  EXPECT_EQ(traffic.largestMessage, 56u);
  EXPECT_EQ(traffic.largestOfARank, 76u);
  EXPECT_EQ(traffic.merged, 0u);
}

TEST(DryRunTraffic, TellsWhatMergesCanTake) {
  const DeviceTable table = tableOf(3);
  cap::Plan plan;
  plan.chunks.resize(3);
  for (std::size_t c = 0; c < 3; ++c) plan.chunks[c].memory = table.places()[c].memory;
  cap::Merge merge;
  merge.elemSize = 4;
  merge.parts = {{0, {{0, 10}}}, {1, {{0, 10}}}, {2, {{5, 10}}}};
  plan.merges = {merge};
  EXPECT_EQ(trafficOf(plan, ranksOf(table)).merged, (10u + 10u + 5u) * 4u * 2u);
}

// Rank 0 of a job whose other ranks exist in the table only. v = average of u, then u and v change places.
class DryJacobi : public ::testing::Test {
 protected:
  DryJacobi()
      : transport_(cdm::makeLocalTransport()),
        device_(cdm::makeHostMemory()),
        table_(tableOf(ranks)),
        node_(*transport_, {device_.get()}, table_, registry(), {}, /*measure=*/false, planBytes),
        dryRun_(table_),
        controller_(node_, *transport_, nullptr) {
    EXPECT_TRUE(controller_.setWeights({std::vector<double>(ranks, 1), 0, {}}).ok());
    controller_.planOnly(dryRun_);
    for (std::vector<double>& array : arrays_) {
      array.assign(static_cast<std::size_t>(rows * columns), 1.5);
      const auto id =
          controller_.createArray(8, rows * columns, "array", reinterpret_cast<std::byte*>(array.data()), {});
      EXPECT_TRUE(id.ok());
      ids_.push_back(*id);
    }
  }

  // for (i = 1; i < until; ++i)
  void step(std::int64_t until = rows - 1) {
    protocol::Launch command;
    command.kernel = 0x1001;  // kernels.cc
    command.dims = {{1, 1, until - 1}, {1, 1, columns - 2}};
    for (const std::int64_t shift : {-columns, columns, std::int64_t{-1}, std::int64_t{1}, std::int64_t{0}})
      command.forms.insert(command.forms.end(), {columns, 1, shift});
    command.scalars.emplace_back(8);
    command.arrays = {{ids_[0], 0, false}, {ids_[1], 0, false}};
    std::vector<void*> pointers{arrays_[0].data(), arrays_[1].data()};
    const auto outcome = controller_.launch(std::move(command), pointers, {});
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    lastPlan_ = outcome->plan;
    std::swap(ids_[0], ids_[1]);
  }

  static constexpr std::size_t planBytes = std::size_t{128} << 20;
  static constexpr std::size_t ranks = 1024;
  static constexpr std::int64_t rows = 8194, columns = 66;

  std::unique_ptr<cdm::Transport> transport_;
  std::unique_ptr<cdm::ComputeDevice> device_;
  DeviceTable table_;
  Node node_;
  DryRun dryRun_;
  Controller controller_;
  std::vector<double> arrays_[2];
  std::vector<std::uint32_t> ids_;
  cap::PlanRef lastPlan_;
};

TEST_F(DryJacobi, PlansForAllRanksAndTouchesNothing) {
  for (int t = 0; t < 10; ++t) step();
  ASSERT_EQ(lastPlan_->chunks.size(), ranks);
  const Traffic traffic = trafficOf(*lastPlan_, ranksOf(table_));
  EXPECT_EQ(traffic.messages, 2 * (ranks - 1));
  EXPECT_EQ(traffic.largestMessage, (columns - 2) * 8u);
  EXPECT_EQ(traffic.largestOfARank, 4 * (columns - 2) * 8u);
  for (const std::vector<double>& array : arrays_)
    EXPECT_EQ(array, std::vector<double>(static_cast<std::size_t>(rows * columns), 1.5));
}

TEST_F(DryJacobi, TheHostIsPlannedForToo) {
  step();
  const auto moved =
      controller_.hostAccess(ids_[0], cap::IntervalSet(cap::Interval{0, rows * columns}), cap::HostMode::read);
  ASSERT_TRUE(moved.ok());
  EXPECT_GT(*moved, rows * columns * 8 * 9 / 10) << "other ranks have computed nearly all of it";
  EXPECT_EQ(*controller_.hostAccess(ids_[0], cap::IntervalSet(cap::Interval{0, rows * columns}), cap::HostMode::read),
            0);
  EXPECT_NE(dryRun_.text(node_.plans()).find("the host: 1 accesses"), std::string::npos);
}

TEST_F(DryJacobi, TheReportNamesTheLoop) {
  for (int t = 0; t < 10; ++t) step();
  const std::string text = dryRun_.text(node_.plans());
  for (const char* part : {"dry run for 1024 ranks with 1024 devices", "muster_test_jacobi): 10 launches; planned ",
                           "for one rank", "the planner's memory: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST_F(DryJacobi, NewSituationsAreCheapAndForgotten) {
  // Every launch is a new situation: another number of rows.
  std::size_t plans = 0;
  for (int t = 0; t < 500; ++t) {
    step(rows - 1 - (t * 31) % 1999);
    plans = std::max(plans, node_.plans().size());
    ASSERT_LE(node_.plans().bytes(), planBytes + (planBytes >> 2));
  }
  EXPECT_GT(node_.plans().misses(), 490u);
  EXPECT_LT(plans, 490u) << "old plans are forgotten";
  EXPECT_GT(dryRun_.medianSeconds(), 0);  // the target of 1 ms: bench/planner_bench.cpp
  EXPECT_LE(dryRun_.medianSeconds(), dryRun_.longestSeconds());
}

}  // namespace
}  // namespace muster::rt
