// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device order, memories, and who takes part in which kernel.
#include "devices/device_table.h"

#include <gtest/gtest.h>

namespace muster::rt {
namespace {

cdm::DeviceInfo cpu() {
  cdm::DeviceInfo info;
  info.name = "cpu";
  info.backend = "cpu";
  info.hostAddressable = true;
  return info;
}

cdm::DeviceInfo gpu(bool fp64) {
  cdm::DeviceInfo info;
  info.name = "gpu";
  info.backend = "opencl";
  info.kind = cdm::DeviceKind::gpu;
  info.fp64 = fp64;
  return info;
}

DeviceTable twoRanks() { return DeviceTable::fromRanks({{"a", {cpu(), gpu(true)}}, {"b", {cpu(), gpu(false)}}}); }

std::vector<std::uint32_t> devicesOf(const DeviceTable& table, DeviceTable::Needs needs) {
  std::vector<std::uint32_t> devices;
  for (const auto& slot : table.slots(needs)) devices.push_back(slot.device);
  return devices;
}

using Devices = std::vector<std::uint32_t>;

TEST(DeviceTable, OnlyRankZerosCpuWorksInHostMemory) {
  const DeviceTable table = twoRanks();
  ASSERT_EQ(table.devices().size(), 4u);
  EXPECT_EQ(table.devices()[0].place.memory, cap::hostMemory);
  EXPECT_EQ(table.devices()[1].place.memory, 2u);
  EXPECT_EQ(table.devices()[2].place.memory, 3u);
  EXPECT_EQ(table.devices()[3].place.rank, 1);
  EXPECT_EQ(table.devices()[3].place.index, 1u);
  EXPECT_FALSE(table.hostOnly());
  EXPECT_TRUE(DeviceTable::fromRanks({{"a", {cpu()}}}).hostOnly());
  EXPECT_FALSE(DeviceTable::fromRanks({{"a", {gpu(true)}}}).hostOnly());
}

TEST(DeviceTable, EveryRankHasAMemoryForSpilledElements) {
  const DeviceTable table =
      DeviceTable::fromRanks({{"a", {gpu(true)}}, {"b", {gpu(true), cpu()}}, {"c", {gpu(true)}}, {"d", {gpu(true)}}});
  const auto spillOf = [&](std::size_t device) { return table.devices()[device].spill; };
  EXPECT_EQ(spillOf(0), cap::hostMemory);
  EXPECT_EQ(spillOf(1), table.devices()[2].place.memory) << "the rank's CPU device";
  EXPECT_FALSE(table.needsSpillMemory(1));
  ASSERT_TRUE(table.needsSpillMemory(2) && table.needsSpillMemory(3));
  const auto places = table.places();
  ASSERT_EQ(places.size(), table.devices().size() + 2);
  EXPECT_EQ(places[5].memory, spillOf(3));
  EXPECT_EQ(places[5].rank, 2);
  EXPECT_EQ(places[5].index, 1u);
  EXPECT_FALSE(places[5].computes);
  EXPECT_NE(spillOf(3), spillOf(4));
  EXPECT_TRUE(table.hasMemory(spillOf(4)));
  EXPECT_FALSE(table.hasMemory(99));
}

TEST(DeviceTable, CapacityIsTheLimitOrMostOfWhatRanksShare) {
  cdm::DeviceInfo card = gpu(true);
  card.memoryBytes = 3200;
  card.hardwareId = "0000:01:00.0";
  const std::vector<DeviceTable::RankList> ranks{{"a", {cpu(), card}}, {"a", {card}}, {"b", {card}}};
  const DeviceTable whole = DeviceTable::fromRanks(ranks);
  EXPECT_EQ(whole.devices()[0].place.capacity, 0u);
  EXPECT_EQ(whole.devices()[1].place.capacity, 1500u) << "two ranks of one host share the card";
  EXPECT_EQ(whole.devices()[3].place.capacity, 3000u);
  const DeviceTable limited = DeviceTable::fromRanks(ranks, 2000);
  EXPECT_EQ(limited.devices()[1].place.capacity, 1500u);
  EXPECT_EQ(limited.devices()[3].place.capacity, 2000u);
  EXPECT_EQ(limited.limitedMemories().size(), 3u);
}

TEST(DeviceTable, KernelsThatNeedDoublesLeaveOthersOut) {
  DeviceTable table = twoRanks();
  ASSERT_TRUE(table.setSpeeds({1, 2, 1, 2}, 0).ok());
  EXPECT_EQ(devicesOf(table, DeviceTable::Needs::opencl), (Devices{0, 1, 2, 3}));
  EXPECT_EQ(devicesOf(table, DeviceTable::Needs::openclFp64), (Devices{0, 1, 2}));
  EXPECT_EQ(devicesOf(table, DeviceTable::Needs::native), (Devices{0, 2}));
}

TEST(DeviceTable, SlowDevicesTakeNoPartExceptWhereTheFastOnesCannotServe) {
  DeviceTable table = twoRanks();
  ASSERT_TRUE(table.setSpeeds({5, 100, 4, 50}, 0.1).ok());
  EXPECT_EQ(devicesOf(table, DeviceTable::Needs::opencl), (Devices{1, 3}));
  EXPECT_DOUBLE_EQ(table.slots(DeviceTable::Needs::opencl)[1].weight, 0.5);
  EXPECT_EQ(devicesOf(table, DeviceTable::Needs::native), (Devices{0, 2}));
  EXPECT_DOUBLE_EQ(table.slots(DeviceTable::Needs::native)[1].weight, 0.8);
}

TEST(DeviceTable, AWeightOfZeroLeavesADeviceOut) {
  DeviceTable table = twoRanks();
  ASSERT_TRUE(table.setSpeeds({0, 1, 0, 0}, 0).ok());
  EXPECT_EQ(devicesOf(table, DeviceTable::Needs::opencl), (Devices{1}));
  EXPECT_TRUE(devicesOf(table, DeviceTable::Needs::native).empty());
}

TEST(DeviceTable, TheNumberOfWeightsMustFit) {
  DeviceTable table = twoRanks();
  const Status status = table.setSpeeds({1, 1}, 0);
  EXPECT_EQ(status.code(), Errc::invalidArgument);
  EXPECT_NE(status.message().find("2 weights were given for 4 devices"), std::string::npos) << status.message();
}

TEST(DeviceTable, KernelsCanHaveSpeedsOfTheirOwn) {
  DeviceTable table = twoRanks();
  ASSERT_TRUE(table.setSpeeds({1, 1, 1, 1}, 0).ok());
  ASSERT_TRUE(table.setKernelSpeeds({7, 8}, {1, 0.5, 0, 0}, 0).ok());
  const auto& own = table.slots(DeviceTable::Needs::opencl, 7);
  ASSERT_EQ(own.size(), 2u);
  EXPECT_EQ(own[1].weight, 0.5);
  EXPECT_EQ(table.slots(DeviceTable::Needs::opencl, 8), own);
  EXPECT_EQ(table.slots(DeviceTable::Needs::native, 7).size(), 1u);
  EXPECT_EQ(table.slots(DeviceTable::Needs::opencl, 9).size(), 4u);
  EXPECT_FALSE(table.setKernelSpeeds({7}, {1, 2}, 0).ok());
  EXPECT_EQ(table.slots(DeviceTable::Needs::opencl, 7).size(), 2u) << "a wrong command changes nothing";
  ASSERT_TRUE(table.setSpeeds({1, 1, 1, 0}, 0).ok());
  EXPECT_EQ(table.slots(DeviceTable::Needs::opencl, 7).size(), 3u) << "speeds for all are for all";
}

}  // namespace
}  // namespace muster::rt
