// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans for launches whose chunks write the same elements: what is merged, how, and what runs on one device.
#include <gtest/gtest.h>

#include "nests.h"

namespace muster::cap {
namespace {

using testing::at;
using testing::equalDevices;
using testing::launch;
using testing::loop;
using testing::read;
using testing::unbounded;
using testing::write;

Access update(std::uint16_t array, std::vector<std::int64_t> coefficients, std::int64_t constant = 0,
              UpdateOp op = UpdateOp::add) {
  Access result = testing::access(AccessMode::update, array, std::move(coefficients), constant);
  result.op = op;
  return result;
}

Plan planOf(const LaunchSpec& spec, std::uint32_t devices = 2) {
  std::vector<ArrayStateRef> states;
  for (const ArrayUse& use : spec.arrays) states.push_back(at(use.count, 0));
  return makePlan(spec, equalDevices(devices), states);
}

void expectOneDevice(const LaunchSpec& spec, const std::string& reason) {
  const Plan plan = planOf(spec);
  EXPECT_FALSE(plan.onHost);
  EXPECT_TRUE(plan.merges.empty());
  ASSERT_EQ(plan.chunks.size(), 1u) << plan.toString();
  EXPECT_EQ(plan.chunks[0].hi, spec.space.dims[0].count);
  EXPECT_EQ(plan.reason.toString(), reason);
}

TEST(Merges, NeighbourWritesShareTheBorderOnly) {
  ArrayState scattered(10, 0);
  scattered.setOwner({{4, 10}}, 1);
  const LaunchSpec spec = launch({loop(0, 8)}, {10}, {write(0, {1}), write(0, {1}, 1)});
  const Plan plan = makePlan(spec, equalDevices(2), {std::make_shared<const ArrayState>(scattered)});
  ASSERT_EQ(plan.chunks.size(), 2u) << plan.toString();
  const Merge expected{0, 8, 0, 10, false, UpdateOp::add, false, {{0, {{5, 6}}}, {1, {{5, 6}}}}};
  EXPECT_EQ(plan.merges, (std::vector<Merge>{expected}));
  // Surely written, but the twin needs the old value.
  EXPECT_EQ(plan.chunks[0].reads[0], (IntervalSet{{5, 6}}));
  EXPECT_EQ(plan.copies, (std::vector<Copy>{{0, 8, {5, 6}, 1, 0}}));
  EXPECT_EQ(plan.next[0].second->toString(), "[0,5){0} [5,6){0,1} [6,10){1}");
}

TEST(Merges, ScatteredWritesAreMergedAsAWhole) {
  const Plan plan = planOf(launch({loop(0, 9)}, {10, 9}, {unbounded(AccessMode::write, 0), read(1, {1})}), 3);
  ASSERT_EQ(plan.chunks.size(), 3u);
  ASSERT_EQ(plan.merges.size(), 1u);
  EXPECT_FALSE(plan.merges[0].accumulate);
  EXPECT_FALSE(plan.merges[0].atomic);
  const IntervalSet all{{0, 10}};
  EXPECT_EQ(plan.merges[0].parts, (std::vector<Merge::Part>{{0, all}, {1, all}, {2, all}}));
  EXPECT_EQ(plan.copies.size(), 4u);  // the array to two others, and their parts of what is read
  EXPECT_EQ(plan.next[0].second->toString(), "[0,10){0,1,2}");
  EXPECT_EQ(plan.next[1].second->toString(), "[0,3){0} [3,6){0,1} [6,9){0,2}");
}

TEST(Merges, UpdatesWithOneOperationAccumulate) {
  for (const UpdateOp op : {UpdateOp::add, UpdateOp::min, UpdateOp::bitXor}) {
    Access histogram = unbounded(AccessMode::update, 0);
    histogram.op = op;
    const Plan plan = planOf(launch({loop(0, 100)}, {16}, {histogram}));
    ASSERT_EQ(plan.merges.size(), 1u);
    EXPECT_TRUE(plan.merges[0].accumulate);
    EXPECT_TRUE(plan.merges[0].atomic);
    EXPECT_EQ(plan.merges[0].op, op);
  }
}

TEST(Merges, AtomicOnlyIfAllWritesAre) {
  LaunchSpec spec = launch({loop(0, 8)}, {10}, {unbounded(AccessMode::write, 0), write(0, {0}), read(0, {1})});
  spec.accesses[0].atomic = true;
  EXPECT_FALSE(planOf(spec).merges.at(0).atomic);
  spec.accesses[1].atomic = true;
  EXPECT_TRUE(planOf(spec).merges.at(0).atomic);
}

TEST(Merges, UpdatesOfOnesOwnElementsNeedNone) {
  const Plan plan = planOf(launch({loop(0, 8)}, {8}, {update(0, {1}), read(0, {1})}));
  EXPECT_EQ(plan.chunks.size(), 2u) << plan.toString();
  EXPECT_TRUE(plan.merges.empty());
  EXPECT_TRUE(plan.reason.empty());
  EXPECT_EQ(plan.copies, (std::vector<Copy>{{0, 8, {4, 8}, 0, 1}}));  // the old values count
}

TEST(Merges, AnUpdateNeedsTheOldValueWhateverElseIsWritten) {
  // One device: a[i] = ..., then a[i] += ...
  const LaunchSpec spec = launch({loop(0, 8)}, {8}, {write(0, {1}), update(0, {1})});
  const Plan plan = makePlan(spec, {{0, 1, 1}}, {at(8, 0)});
  EXPECT_EQ(plan.copies, (std::vector<Copy>{{0, 8, {0, 8}, 0, 1}}));
}

TEST(Merges, TheParameterIsTheFirstThatIsWritten) {
  LaunchSpec spec = launch({loop(0, 8)}, {20, 20, 20}, {unbounded(AccessMode::write, 2), write(1, {1}), read(0, {1})});
  for (ArrayUse& use : spec.arrays) use.array = 4;
  const Plan plan = planOf(spec);
  ASSERT_EQ(plan.merges.size(), 1u);
  EXPECT_EQ(plan.merges[0].array, 4u);
  EXPECT_EQ(plan.merges[0].parameter, 1u);
  EXPECT_EQ(plan.merges[0].line, 12u);
}

TEST(Merges, ElementsOfOneChunkStayItsOwn) {
  // Chunks of 3, 2 and 1 rows, each writing two rows more.
  const LaunchSpec spec =
      launch({loop(0, 6), loop(0, 10)}, {80}, {update(0, {10, 1}), update(0, {10, 1}, 10), update(0, {10, 1}, 20)});
  const Plan plan = planOf(spec, 3);
  ASSERT_EQ(plan.merges.size(), 1u) << plan.toString();
  EXPECT_EQ(plan.merges[0].parts, (std::vector<Merge::Part>{{0, {{30, 50}}}, {1, {{30, 70}}}, {2, {{50, 70}}}}));
  EXPECT_EQ(plan.next[0].second->toString(), "[0,30){0} [30,50){0,1} [50,70){1,2} [70,80){2}");
}

TEST(Merges, RowsAreKeptApartWhereThatHelps) {
  // Columns i and i + 1 with i split: only one column per border is shared.
  constexpr std::int64_t rows = 100, columns = 12;
  const LaunchSpec spec = launch({loop(0, columns - 1), loop(0, rows)}, {rows * columns},
                                 {write(0, {1, columns}), write(0, {1, columns}, 1)});
  const Plan plan = planOf(spec, 3);
  ASSERT_EQ(plan.merges.size(), 1u);
  EXPECT_EQ(plan.merges[0].parts.size(), 3u);
  EXPECT_EQ(plan.merges[0].parts[0].elements.size(), rows);
  EXPECT_EQ(plan.merges[0].parts[1].elements.size(), 2 * rows);
}

TEST(Merges, BlocksStayBlocksWhereThatDoesNotHelp) {
  // Inner columns of rows i and i + 1: the same border with and without its gaps.
  constexpr std::int64_t rows = 200, columns = 12;
  const LaunchSpec spec = launch({loop(0, rows - 1), loop(1, columns - 1)}, {rows * columns},
                                 {write(0, {columns, 1}), write(0, {columns, 1}, columns)});
  const Plan plan = planOf(spec, 2);
  ASSERT_EQ(plan.merges.size(), 1u);
  EXPECT_EQ(plan.chunks[0].writes[0].intervals(), 1u);
  EXPECT_LE(plan.merges[0].parts[0].elements.size(), 2 * columns);
}

TEST(Merges, OrderedUpdatesRunOnOneDevice) {
  LaunchSpec spec = launch({loop(0, 8)}, {10}, {update(0, {0}, 3)});
  spec.accesses[0].ordered = true;
  expectOneDevice(spec, "line 10: array 0 (parameter 0): an update whose order counts runs on one device");
  spec.accesses[0].index.coefficients = {1};  // each iteration its own element
  EXPECT_EQ(planOf(spec).chunks.size(), 2u);
}

TEST(Merges, UpdatesAndOtherAccessesRunOnOneDevice) {
  expectOneDevice(
      launch({loop(0, 8)}, {10, 10}, {unbounded(AccessMode::update, 1), write(0, {1}), unbounded(AccessMode::read, 1)}),
      "line 11: array 1 (parameter 1): a mix of updates and others runs on one device");
  expectOneDevice(launch({loop(0, 8)}, {10}, {update(0, {0}), update(0, {0}, 0, UpdateOp::mul)}),
                  "line 10: array 0 (parameter 0): a mix of operations runs on one device");
  // Updates of one's own elements, reads of the neighbour's.
  expectOneDevice(launch({loop(0, 8)}, {10}, {update(0, {1}), read(0, {1}, 1)}),
                  "line 10: array 0 (parameter 0): a mix of updates and others runs on one device");
}

Access part(Access access) {
  access.partial = access.conditional = true;
  return access;
}

TEST(Merges, PartsOfOnesOwnElementsNeedNone) {
  // cell[y * nx + x].rho in rows, inner ones, backwards, in columns, and reads of what others write.
  const Access rows = part(write(0, {12, 1}));
  EXPECT_EQ(planOf(launch({loop(0, 9), loop(0, 12)}, {108}, {rows}), 3).chunks.size(), 3u);
  EXPECT_EQ(planOf(launch({loop(1, 8), loop(1, 11)}, {108}, {rows, write(0, {12, 1})}), 3).chunks.size(), 3u);
  EXPECT_EQ(planOf(launch({{8, -1, 9}, loop(0, 12)}, {108}, {rows}), 3).chunks.size(), 3u);
  const LaunchSpec columns = launch({loop(0, 12), loop(0, 1000)}, {12000}, {part(write(0, {1, 12}))});
  EXPECT_EQ(planOf(columns, 3).chunks.size(), 3u) << "gaps counted in, chunks would meet";
  const Plan neighbours = planOf(launch({loop(1, 8), loop(0, 12)}, {108}, {rows, read(0, {12, 1}, 12)}));
  EXPECT_EQ(neighbours.chunks.size(), 2u) << neighbours.toString();
  EXPECT_TRUE(neighbours.merges.empty());
}

TEST(Merges, PartsThatDevicesMayShareRunOnOne) {
  const std::string reason =
      "line 10: array 0 (parameter 0): a write of parts of elements that several devices may write runs on one device";
  expectOneDevice(launch({loop(0, 8)}, {10}, {part(write(0, {1})), part(write(0, {1}, 1))}), reason);
  expectOneDevice(launch({loop(0, 8)}, {10}, {part(write(0, {1})), write(0, {1}, 1)}), reason);
  expectOneDevice(launch({loop(0, 8)}, {10}, {part(unbounded(AccessMode::write, 0))}), reason);
  // Rows of 12, but an array that is indexed as if they were of 11: the last one of a chunk is the next one's first.
  expectOneDevice(launch({loop(0, 8), loop(0, 12)}, {100}, {part(write(0, {11, 1}))}), reason);
  // Two pointers into one array.
  LaunchSpec aliases = launch({loop(0, 8)}, {20, 20}, {part(write(0, {1})), write(1, {1})});
  aliases.arrays[1].array = 0;
  aliases.arrays[1].offset = 5;
  expectOneDevice(aliases, reason);
  aliases.arrays[1].offset = 10;
  EXPECT_EQ(planOf(aliases).chunks.size(), 2u);
}

TEST(Merges, TheFastestDeviceRunsWhatOneHasToRun) {
  LaunchSpec spec = launch({loop(0, 8)}, {10}, {update(0, {0}, 3)});
  spec.accesses[0].ordered = true;
  const auto deviceOf = [&](const std::vector<DeviceSlot>& devices) {
    return makePlan(spec, devices, {at(10, 0)}).chunks.at(0).device;
  };
  EXPECT_EQ(deviceOf({{4, 1, 1}, {5, 2, 3}, {6, 3, 3}, {7, 4, 2}}), 5u);
  EXPECT_EQ(deviceOf({{4, 1, 0}, {5, 2, 1}, {6, 3, 1}}), 5u);
  const Plan alone = makePlan(spec, {{3, 2, 1}}, {at(10, 0)});
  EXPECT_TRUE(alone.reason.empty()) << "one device was asked for";
}

TEST(Merges, DevicesThatShareAMemoryDoNotMerge) {
  const Plan plan =
      makePlan(launch({loop(0, 8)}, {10}, {unbounded(AccessMode::write, 0)}), {{0, 2, 1}, {1, 2, 2}}, {at(10, 0)});
  ASSERT_EQ(plan.chunks.size(), 1u);
  EXPECT_EQ(plan.chunks[0].device, 1u);
  EXPECT_EQ(plan.reason.toString(),
            "line 10: array 0 (parameter 0): a write by devices that share a memory runs on one device");
}

TEST(Merges, OtherArraysAreSplitAsEver) {
  const Plan plan =
      planOf(launch({loop(0, 8)}, {4, 8, 8}, {unbounded(AccessMode::update, 0), write(1, {1}), read(2, {1})}));
  EXPECT_EQ(plan.merges.size(), 1u);
  EXPECT_EQ(plan.next[1].second->toString(), "[0,4){0} [4,8){1}");
  EXPECT_EQ(plan.next[2].second->toString(), "[0,4){0} [4,8){0,1}");
}

TEST(Merges, AThousandDevicesDeposit) {
  constexpr std::uint32_t devices = 1024;
  const Plan plan = planOf(launch({loop(0, 1 << 20)}, {100000}, {unbounded(AccessMode::update, 0)}), devices);
  EXPECT_EQ(plan.chunks.size(), devices);
  EXPECT_EQ(plan.merges.at(0).parts.size(), devices);
  EXPECT_EQ(plan.next[0].second->pieces().size(), 1u);
  EXPECT_EQ(plan.next[0].second->pieces().begin()->holders.size(), devices);
}

}  // namespace
}  // namespace muster::cap
