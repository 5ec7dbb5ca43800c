// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specs that are kept: found for the same command only, and never for arrays that changed.
#include "node/spec_memo.h"

#include <gtest/gtest.h>

#include "muster/cdm/host.h"
#include "muster/cdm/transports.h"
#include "node/node.h"

namespace muster::rt {
namespace {

protocol::Launch jacobi() {
  protocol::Launch command;
  command.kernel = 0x1001;  // kernels.cc
  command.dims = {{1, 1, 8}, {1, 1, 8}};
  for (const std::int64_t shift : {-10, 10, -1, 1, 0}) command.forms.insert(command.forms.end(), {10, 1, shift});
  command.scalars.emplace_back(8);
  command.arrays = {{0, 0, false}, {1, 0, false}};
  return command;
}

TEST(SpecMemo, FindsTheSpecOfTheSameCommandOnly) {
  SpecMemo memo;
  const protocol::Launch command = jacobi();
  EXPECT_EQ(memo.find(command, false), nullptr);
  const cap::SpecRef spec = cap::keepSpec({});
  memo.keep(command, false, spec);
  EXPECT_EQ(memo.find(command, false), spec);
  EXPECT_EQ(memo.find(command, true), nullptr);

  protocol::Launch other = command;
  other.scalars[0][3] = std::byte{1};
  EXPECT_EQ(memo.find(other, false), spec) << "scalars are none of the planner's business";
  const auto expectUnknown = [&](auto change, const char* what) {
    protocol::Launch changed = command;
    change(changed);
    EXPECT_EQ(memo.find(changed, false), nullptr) << what;
  };
  expectUnknown([](protocol::Launch& c) { c.kernel = 0x1002; }, "kernel");
  expectUnknown([](protocol::Launch& c) { c.dims[0].count = 9; }, "count");
  expectUnknown([](protocol::Launch& c) { c.dims[1].first = 2; }, "first");
  expectUnknown([](protocol::Launch& c) { c.dims[1].step = -1; }, "step");
  expectUnknown([](protocol::Launch& c) { c.forms.back() = 1; }, "form");
  expectUnknown([](protocol::Launch& c) { std::swap(c.forms[0], c.forms[1]); }, "order of coefficients");
  expectUnknown([](protocol::Launch& c) { std::swap(c.arrays[0], c.arrays[1]); }, "order of arrays");
  expectUnknown([](protocol::Launch& c) { c.arrays[0].offset = 1; }, "offset");
  expectUnknown([](protocol::Launch& c) { c.arrays[1].opaque = true; }, "type of elements");
  expectUnknown([](protocol::Launch& c) { c.arrays[1].absent = true; }, "null argument");
  expectUnknown([](protocol::Launch& c) { c.arrays[1].id = protocol::Launch::kNotManaged; }, "unmanaged");

  const cap::SpecRef newer = cap::keepSpec({});
  memo.keep(command, false, newer);
  EXPECT_EQ(memo.find(command, false), newer);
  EXPECT_EQ(memo.size(), 1u);
}

TEST(SpecMemo, KeepsNoMoreThanItMay) {
  SpecMemo memo(10);
  protocol::Launch command = jacobi();
  for (std::int64_t first = 0; first < 100; ++first) {
    command.dims[0].first = first;
    memo.keep(command, false, cap::keepSpec({}));
    EXPECT_LE(memo.size(), 10u);
    EXPECT_NE(memo.find(command, false), nullptr);
  }
}

class PlannedAgain : public ::testing::Test {
 protected:
  PlannedAgain()
      : transport_(cdm::makeLocalTransport()),
        device_(cdm::makeHostMemory()),
        table_(DeviceTable::fromRanks({{"test", {cpu(), cpu(), cpu()}}})),
        node_(*transport_, {device_.get(), device_.get(), device_.get()}, table_, registry(), {}) {
    EXPECT_TRUE(node_.setWeights({{1, 1, 1}, 0, {}}, 1).ok());
    for (const std::uint32_t id : {0u, 1u}) declare(id, 100);
  }
  static cdm::DeviceInfo cpu() {
    cdm::DeviceInfo info;
    info.name = "a CPU";
    info.hostAddressable = true;
    return info;
  }
  void declare(std::uint32_t id, std::int64_t count) {
    EXPECT_TRUE(node_.declareArray({id, 8, count, "array"}, nullptr).ok());
  }
  // What was planned, and what plans from scratch are.
  Status plan(const protocol::Launch& command, PlannedLaunch& launch) {
    PlannedLaunch described;
    launch.command = described.command = command;
    MUSTER_TRY(node_.describe(described));
    MUSTER_TRY(node_.plan(launch));
    EXPECT_EQ(launch.spec->spec, described.spec->spec);
    EXPECT_EQ(launch.plan->toString(),
              cap::makePlan(described.spec->spec, described.slots, described.states).toString());
    node_.assume(*launch.plan);
    return {};
  }

  std::unique_ptr<cdm::Transport> transport_;
  std::unique_ptr<cdm::ComputeDevice> device_;
  DeviceTable table_;
  Node node_;
};

TEST_F(PlannedAgain, TheSameLaunchHasTheSameSpecAndPlan) {
  PlannedLaunch first, second, third, fourth;
  ASSERT_TRUE(plan(jacobi(), first).ok());
  ASSERT_TRUE(plan(jacobi(), second).ok());  // other states by now
  const std::size_t misses = node_.plans().misses();
  ASSERT_TRUE(plan(jacobi(), third).ok());
  ASSERT_TRUE(plan(jacobi(), fourth).ok());
  EXPECT_EQ(node_.plans().misses(), misses);
  EXPECT_EQ(fourth.spec, third.spec);
  EXPECT_EQ(third.plan, second.plan);
  EXPECT_EQ(fourth.plan, second.plan);
  EXPECT_TRUE(fourth.states.empty()) << "nothing was looked at that the plan does not need";
  EXPECT_EQ(fourth.request().dims.size(), 2u);
  EXPECT_EQ(fourth.request().scalars.size(), 1u);
  EXPECT_EQ(fourth.request().scalars[0], fourth.command.scalars[0].data());
}

TEST_F(PlannedAgain, OtherWeightsAreAnotherPlan) {
  PlannedLaunch even, uneven, given;
  ASSERT_TRUE(plan(jacobi(), even).ok());
  ASSERT_TRUE(node_.setWeights({{4, 1, 1}, 0, {}}, 2).ok());
  ASSERT_TRUE(plan(jacobi(), uneven).ok());
  EXPECT_NE(uneven.plan->chunks[0].hi, even.plan->chunks[0].hi);
  protocol::Launch command = jacobi();
  command.weights = {0, 1, 1};
  ASSERT_TRUE(plan(command, given).ok());
  EXPECT_EQ(given.plan->chunks.size(), 2u);
}

TEST_F(PlannedAgain, AnArrayThatWasReplacedIsSeen) {
  PlannedLaunch before, after, gone;
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(plan(jacobi(), before).ok());  // it is kept by now
  ASSERT_TRUE(node_.forgetArray({1}).ok());
  EXPECT_FALSE(plan(jacobi(), gone).ok());
  declare(1, 70);
  ASSERT_TRUE(plan(jacobi(), after).ok());
  EXPECT_EQ(after.spec->spec.arrays[1].count, 70);
  EXPECT_EQ(before.spec->spec.arrays[1].count, 100);
}

TEST_F(PlannedAgain, WithoutDevicesItRunsOnTheHost) {
  PlannedLaunch some, none, again;
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(plan(jacobi(), some).ok());
  ASSERT_TRUE(node_.setWeights({{0, 0, 0}, 0, {}}, 2).ok());
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(plan(jacobi(), none).ok());
  EXPECT_TRUE(none.spec->spec.hostOnly);
  EXPECT_TRUE(none.plan->onHost);
  ASSERT_TRUE(node_.setWeights({{1, 1, 1}, 0, {}}, 3).ok());
  ASSERT_TRUE(plan(jacobi(), again).ok());
  EXPECT_FALSE(again.spec->spec.hostOnly);
  EXPECT_EQ(again.spec, some.spec);
}

TEST_F(PlannedAgain, AScalarOfAnotherSizeIsAnErrorEachTime) {
  PlannedLaunch good, bad;
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(plan(jacobi(), good).ok());
  bad.command = jacobi();
  bad.command.scalars[0].resize(4);
  EXPECT_EQ(node_.plan(bad).code(), Errc::protocol);
}

TEST_F(PlannedAgain, PartsAreForOneDeviceAndAreNotKept) {
  PlannedLaunch whole, part, again;
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(plan(jacobi(), whole).ok());
  protocol::Launch command = jacobi();
  command.part = {1, 2, 5, 0};
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(plan(command, part).ok());
  ASSERT_EQ(part.plan->chunks.size(), 1u);
  EXPECT_EQ(part.plan->chunks[0].device, 1u);
  EXPECT_EQ(part.plan->chunks[0].lo, 2);
  EXPECT_EQ(part.plan->chunks[0].hi, 5);
  ASSERT_TRUE(plan(jacobi(), again).ok());
  EXPECT_EQ(again.spec, whole.spec);
  EXPECT_EQ(again.plan, whole.plan);
}

TEST_F(PlannedAgain, WholeLaunchesForOneDeviceAreKept) {
  protocol::Launch command = jacobi();
  const Result<bool> isFor = node_.isFor(command, 2);
  ASSERT_TRUE(isFor.ok() && *isFor);
  EXPECT_EQ(command.weights, (std::vector<double>{0, 0, 1}));
  PlannedLaunch first, second, third;
  for (PlannedLaunch* const launch : {&first, &second, &third}) ASSERT_TRUE(plan(command, *launch).ok());
  ASSERT_EQ(third.plan->chunks.size(), 1u);
  EXPECT_EQ(third.plan->chunks[0].device, 2u);
  EXPECT_EQ(third.plan->chunks[0].hi, command.dims[0].count);
  EXPECT_EQ(third.plan, second.plan);
  EXPECT_TRUE(third.remembered());
  ASSERT_TRUE(node_.setWeights({{1, 1, 0}, 0, {}}, 2).ok());
  const Result<bool> isLeftOut = node_.isFor(command, 2);
  ASSERT_TRUE(isLeftOut.ok());
  EXPECT_FALSE(*isLeftOut);
  command.kernel = 12345;
  EXPECT_EQ(node_.isFor(command, 0).status().code(), Errc::protocol);
}

TEST_F(PlannedAgain, PartsThatCannotBeAreErrors) {
  for (const protocol::Launch::Part& wrong :
       {protocol::Launch::Part{3, 0, 4, 0}, {0, -1, 4, 0}, {0, 4, 4, 0}, {0, 5, 4, 0}, {0, 0, 9, 0}, {0, 0, 4, -1}}) {
    PlannedLaunch launch;
    launch.command = jacobi();
    launch.command.part = wrong;
    EXPECT_EQ(node_.plan(launch).code(), Errc::protocol) << wrong.device << ' ' << wrong.lo << ' ' << wrong.hi;
  }
}

}  // namespace
}  // namespace muster::rt
