// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of arrays on a device with memory of its own: growth, movement, what is kept, limits.
#include "storage/device_storage.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace muster::cap {
namespace {

// Memory in plain vectors; nothing can be launched.
class MemoryDevice final : public cdm::ComputeDevice {
 public:
  MemoryDevice() : ComputeDevice(infoOf()) {}
  std::map<cdm::BufferId, std::vector<std::byte>> buffers;
  std::size_t largest = SIZE_MAX;  // allocations above it fail

 protected:
  Result<cdm::BufferId> doAllocate(std::size_t bytes) override {
    if (bytes > largest) return Status(Errc::outOfMemory, "the card is full");
    buffers[++next_].resize(bytes);
    return next_;
  }
  Status doRelease(cdm::BufferId buffer) override {
    buffers.erase(buffer);
    return {};
  }
  Result<cdm::Event> doWrite(cdm::BufferId to, std::size_t offset, const void* from, std::size_t bytes) override {
    std::memcpy(buffers[to].data() + offset, from, bytes);
    return cdm::Event{0};
  }
  Result<cdm::Event> doRead(cdm::BufferId from, std::size_t offset, void* to, std::size_t bytes) override {
    std::memcpy(to, buffers[from].data() + offset, bytes);
    return cdm::Event{0};
  }
  Result<cdm::Event> doCopy(cdm::BufferId from, std::size_t fromOffset, cdm::BufferId to, std::size_t toOffset,
                            std::size_t bytes) override {
    std::memcpy(buffers[to].data() + toOffset, buffers[from].data() + fromOffset, bytes);
    return cdm::Event{0};
  }
  Status doPrepare(const cdm::KernelCode&, double) override { return {}; }
  Result<cdm::Event> doLaunch(const cdm::KernelLaunch&) override { return Status(Errc::unsupported, "no kernels"); }
  Status doWait(cdm::Event) override { return {}; }
  Status doFinish() override { return {}; }

 private:
  static cdm::DeviceInfo infoOf() {
    cdm::DeviceInfo info;
    info.name = "memory";
    return info;
  }
  cdm::BufferId next_ = 0;
};

struct StorageTest : ::testing::Test {
  MemoryDevice device;
  ArrayInfo array{1, 4, 1000, "u (a.cpp:1)", nullptr};

  void put(DeviceStorage& storage, std::int64_t element, int value) {
    const Window& window = *storage.find(1);
    const auto offset = static_cast<std::size_t>(element - window.elements.lo) * 4;
    ASSERT_TRUE(device.write(window.buffer, offset, &value, 4).ok());
  }
  int get(DeviceStorage& storage, std::int64_t element) {
    const Window& window = *storage.find(1);
    int value = 0;
    EXPECT_TRUE(device.read(window.buffer, static_cast<std::size_t>(element - window.elements.lo) * 4, &value, 4).ok());
    return value;
  }
};

TEST_F(StorageTest, AWindowIsAsLargeAsWhatIsWanted) {
  DeviceStorage storage(device, false, 0);
  ASSERT_TRUE(storage.ensure(array, {96, 200}, {}).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{96, 200}));
  EXPECT_EQ(storage.bytesUsed(), 416u);
  ASSERT_TRUE(storage.ensure(array, {}, {}).ok());
  EXPECT_EQ(storage.find(2), nullptr);
}

// Where it costs no more memory than there is, and no new buffer.
TEST_F(StorageTest, WindowsBeginWhereWideAccessesAreAligned) {
  DeviceStorage storage(device, false, 1000);
  ASSERT_TRUE(storage.ensure(array, {131, 200}, {}).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{128, 200}));  // 32 floats are a line
  const ArrayInfo pairs{2, 24, 1000, "v (a.cpp:2)", nullptr}, large{3, 68, 1000, "w (a.cpp:3)", nullptr};
  ASSERT_TRUE(storage.ensure(pairs, {17, 18}, {}).ok());
  EXPECT_EQ(storage.find(2)->elements, (Interval{16, 18}));  // 16 of them are three lines
  ASSERT_TRUE(storage.ensure(large, {33, 34}, {}).ok());
  EXPECT_EQ(storage.find(3)->elements, (Interval{32, 34}));
  const ArrayInfo huge{4, 4100, 1000, "x (a.cpp:4)", nullptr}, last{5, 4, 1000, "y (a.cpp:5)", nullptr};
  DeviceStorage unlimited(device, false, 0);
  ASSERT_TRUE(unlimited.ensure(huge, {33, 34}, {}).ok());
  EXPECT_EQ(unlimited.find(4)->elements, (Interval{33, 34}));
  ASSERT_TRUE(storage.ensure(last, {995, 1000}, {}).ok()) << "it fits as it is wanted";
  EXPECT_EQ(storage.find(5)->elements.hi, 1000);
}

TEST_F(StorageTest, NothingHappensWhileItFits) {
  DeviceStorage storage(device, false, 0);
  ASSERT_TRUE(storage.ensure(array, {100, 200}, {}).ok());
  const cdm::BufferId before = storage.find(1)->buffer;
  ASSERT_TRUE(storage.ensure(array, {120, 130}, IntervalSet({{100, 200}})).ok());
  EXPECT_EQ(storage.find(1)->buffer, before);
}

TEST_F(StorageTest, GrowthKeepsWhatIsValid) {
  DeviceStorage storage(device, false, 0);
  ASSERT_TRUE(storage.ensure(array, {100, 200}, {}).ok());
  put(storage, 100, 11);
  put(storage, 199, 22);
  ASSERT_TRUE(storage.ensure(array, {150, 300}, IntervalSet({{100, 120}, {180, 200}})).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{96, 300}));
  EXPECT_EQ(get(storage, 100), 11);
  EXPECT_EQ(get(storage, 199), 22);
  EXPECT_EQ(device.buffers.size(), 1u) << "the old buffer is still there";
  EXPECT_EQ(storage.bytesUsed(), 816u);
}

TEST_F(StorageTest, WhatIsNotValidIsLetGo) {
  DeviceStorage storage(device, false, 0);
  ASSERT_TRUE(storage.ensure(array, {0, 100}, {}).ok());
  ASSERT_TRUE(storage.ensure(array, {900, 1000}, {}).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{900, 1000}));
  EXPECT_EQ(storage.bytesUsed(), 400u);
}

TEST_F(StorageTest, AWindowThatGrowsAgainGetsRoom) {
  DeviceStorage storage(device, false, 0);
  std::int64_t allocations = 0;
  cdm::BufferId last = 0;
  for (std::int64_t hi = 10; hi <= 1000; hi += 10) {
    ASSERT_TRUE(storage.ensure(array, {0, hi}, IntervalSet({{0, hi - 10}})).ok());
    if (storage.find(1)->buffer != last) ++allocations;
    last = storage.find(1)->buffer;
  }
  EXPECT_LT(allocations, 20);
  EXPECT_EQ(storage.find(1)->elements.hi, 1000);
}

TEST_F(StorageTest, RoomIsGivenUpWhenMemoryIsShort) {
  DeviceStorage storage(device, false, 0);
  ASSERT_TRUE(storage.ensure(array, {0, 100}, {}).ok());
  ASSERT_TRUE(storage.ensure(array, {0, 110}, IntervalSet({{0, 100}})).ok());
  device.largest = 120 * 4;
  ASSERT_TRUE(storage.ensure(array, {0, 120}, IntervalSet({{0, 110}})).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{0, 120}));
}

TEST_F(StorageTest, TheLimitIsKeptAndReleaseGivesBack) {
  DeviceStorage storage(device, false, 1000);
  ASSERT_TRUE(storage.ensure(array, {0, 200}, {}).ok());
  const ArrayInfo other{2, 4, 1000, "v (a.cpp:2)", nullptr};
  const Status full = storage.ensure(other, {0, 100}, {});
  EXPECT_EQ(full.code(), Errc::outOfMemory);
  EXPECT_NE(full.message().find("v (a.cpp:2)"), std::string::npos) << full.message();
  ASSERT_TRUE(storage.release(1).ok());
  EXPECT_EQ(storage.bytesUsed(), 0u);
  EXPECT_TRUE(storage.ensure(other, {0, 100}, {}).ok());
  EXPECT_EQ(device.buffers.size(), 1u);
}

TEST_F(StorageTest, AWindowMovesWithinItsBuffer) {
  DeviceStorage storage(device, false, 400);
  ASSERT_TRUE(storage.ensure(array, {0, 100}, {}).ok());
  const cdm::BufferId buffer = storage.find(1)->buffer;
  put(storage, 99, 7);
  ASSERT_TRUE(storage.ensure(array, {99, 190}, IntervalSet({{99, 100}})).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{96, 190}));
  EXPECT_EQ(storage.find(1)->buffer, buffer);
  EXPECT_EQ(get(storage, 99), 7);
  EXPECT_EQ(storage.bytesUsed(), 400u);
  // The buffer has room for nine elements more.
  ASSERT_TRUE(storage.ensure(array, {150, 199}, IntervalSet({{99, 190}})).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{99, 199}));
  EXPECT_EQ(storage.find(1)->buffer, buffer);
  EXPECT_EQ(get(storage, 99), 7);
}

TEST_F(StorageTest, AWindowMovesOntoItself) {
  DeviceStorage storage(device, false, 400);
  ASSERT_TRUE(storage.ensure(array, {0, 100}, {}).ok());
  for (int element = 10; element < 100; ++element) put(storage, element, element);
  ASSERT_TRUE(storage.ensure(array, {10, 110}, IntervalSet({{10, 50}, {60, 100}})).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{10, 110}));
  for (int element = 10; element < 50; ++element) EXPECT_EQ(get(storage, element), element);
  for (int element = 60; element < 100; ++element) EXPECT_EQ(get(storage, element), element);
}

TEST_F(StorageTest, WhereTwoBuffersDoNotFitDataWaitsInHostMemory) {
  DeviceStorage storage(device, false, 500);
  ASSERT_TRUE(storage.ensure(array, {0, 100}, {}).ok());
  put(storage, 3, 33);
  put(storage, 99, 99);
  const IntervalSet held({{3, 4}, {90, 100}});
  EXPECT_EQ(storage.ensure(array, {0, 125}, held).code(), Errc::outOfMemory);
  ASSERT_TRUE(storage.ensure(array, {0, 125}, held, DeviceStorage::Growth::throughHost).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{0, 125}));
  EXPECT_EQ(get(storage, 3), 33);
  EXPECT_EQ(get(storage, 99), 99);
  EXPECT_EQ(storage.bytesUsed(), 500u);
  EXPECT_EQ(device.buffers.size(), 1u);
}

TEST_F(StorageTest, ReclaimingLeavesWhatIsNeeded) {
  DeviceStorage storage(device, false, 1000);
  const ArrayInfo other{2, 4, 1000, "v (a.cpp:2)", nullptr}, third{3, 4, 1000, "w (a.cpp:3)", nullptr};
  ASSERT_TRUE(storage.ensure(array, {0, 100}, {}).ok());
  ASSERT_TRUE(storage.ensure(other, {0, 100}, {}).ok());
  ASSERT_TRUE(storage.ensure(third, {0, 50}, {}).ok());
  put(storage, 40, 4);
  const std::map<std::uint32_t, DeviceStorage::Need> needs{
      {1, {&array, IntervalSet({{40, 50}}), {45, 60}}}, {2, {&other, {}, {}}}, {3, {&third, {}, {0, 90}}}};
  ASSERT_TRUE(storage.reclaim([&](std::uint32_t id) { return needs.at(id); }).ok());
  EXPECT_EQ(storage.find(1)->elements, (Interval{40, 60}));
  EXPECT_EQ(get(storage, 40), 4);
  EXPECT_EQ(storage.find(2), nullptr);
  EXPECT_EQ(storage.find(3)->elements, (Interval{0, 50})) << "it is for ensure() to grow it";
  EXPECT_EQ(storage.bytesUsed(), 80u + 200u);
  EXPECT_EQ(device.buffers.size(), 2u);
}

TEST_F(StorageTest, TheDevicesOwnRefusalIsNamed) {
  device.largest = 10;
  DeviceStorage storage(device, false, 0);
  const Status full = storage.ensure(array, {0, 200}, {});
  EXPECT_EQ(full.code(), Errc::outOfMemory);
  EXPECT_NE(full.message().find("the card is full"), std::string::npos) << full.message();
  EXPECT_NE(full.message().find("800 bytes"), std::string::npos) << full.message();
}

}  // namespace
}  // namespace muster::cap
