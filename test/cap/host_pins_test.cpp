// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of the host's memory are page-locked: those that are copied again and again, each once.
#include "storage/host_pins.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::cap {
namespace {

constexpr std::size_t kRow = HostPins::leastBytes;

// Notes what it is asked to lock; transfers nothing.
class LockingDevice final : public cdm::ComputeDevice {
 public:
  explicit LockingDevice(const std::byte* base) : ComputeDevice(infoOf()), base_(base) {}
  std::string asked;
  int locked = 0;
  bool refuses = false;

 protected:
  Result<cdm::PinnedMemory> doPin(std::span<std::byte> memory) override {
    asked += std::to_string((memory.data() - base_) / static_cast<std::ptrdiff_t>(kRow)) + ";";
    if (refuses) return Status(Errc::unsupported, "no");
    ++locked;
    return cdm::PinnedMemory(memory.data(), [this](std::byte*) { --locked; });
  }
  Result<cdm::BufferId> doAllocate(std::size_t) override { return Status(Errc::unsupported, ""); }
  Status doRelease(cdm::BufferId) override { return {}; }
  Result<cdm::Event> doWrite(cdm::BufferId, std::size_t, const void*, std::size_t) override { return cdm::Event{0}; }
  Result<cdm::Event> doRead(cdm::BufferId, std::size_t, void*, std::size_t) override { return cdm::Event{0}; }
  Result<cdm::Event> doCopy(cdm::BufferId, std::size_t, cdm::BufferId, std::size_t, std::size_t) override {
    return cdm::Event{0};
  }
  Status doPrepare(const cdm::KernelCode&, double) override { return {}; }
  Result<cdm::Event> doLaunch(const cdm::KernelLaunch&) override { return Status(Errc::unsupported, ""); }
  Status doWait(cdm::Event) override { return {}; }
  Status doFinish() override { return {}; }

 private:
  static cdm::DeviceInfo infoOf() {
    cdm::DeviceInfo info;
    info.name = "locking";
    return info;
  }
  const std::byte* base_;
};

struct Pins : ::testing::Test {
  std::vector<std::byte> memory = std::vector<std::byte>(10 * kRow);
  LockingDevice device{memory.data()};
  int kept = 0;
  ArrayInfo array{1, 1, static_cast<std::int64_t>(memory.size()), "u", memory.data(), {{}, [this] { ++kept; }}};
  HostPins pins{8 * kRow};

  void copy(std::size_t row, std::size_t rows = 1, unsigned times = HostPins::copiesBefore + 1) {
    for (unsigned i = 0; i < times; ++i) pins.noteCopy(device, array, memory.data() + row * kRow, rows * kRow);
  }
};

TEST_F(Pins, WhatIsCopiedAgainAndAgainIsLockedOnce) {
  copy(2, 1, HostPins::copiesBefore);
  EXPECT_EQ(device.asked, "");
  copy(2, 1, 1);
  EXPECT_EQ(device.asked, "2;");
  EXPECT_EQ(kept, 1) << "the host keeps its pages before the device knows them";
  copy(2, 1, 10);
  copy(3);
  EXPECT_EQ(device.asked, "2;3;");
  EXPECT_EQ(pins.lockedBytes(), 2 * kRow);
  pins.forget(7);
  EXPECT_EQ(device.locked, 2);
  pins.forget(1);
  EXPECT_EQ(device.locked, 0);
  EXPECT_EQ(pins.lockedBytes(), 0u);
  copy(2);
  EXPECT_EQ(device.asked, "2;3;2;");
}

TEST_F(Pins, FewBytesAndChangingPartsAreNot) {
  for (int i = 0; i < 20; ++i) pins.noteCopy(device, array, memory.data(), kRow - 1);
  for (std::size_t rows = 1; rows < 10; ++rows) copy(0, rows, 2);
  EXPECT_EQ(device.asked, "");
}

TEST_F(Pins, NothingIsLockedTwice) {
  copy(2, 2);
  copy(3);     // inside
  copy(1, 2);  // its beginning
  copy(1, 8);  // around
  copy(1);
  copy(4);
  EXPECT_EQ(device.asked, "2;1;4;");
  ArrayInfo other = array;
  other.id = 2;
  LockingDevice second(memory.data());
  for (unsigned i = 0; i <= HostPins::copiesBefore; ++i) pins.noteCopy(second, array, memory.data() + 2 * kRow, kRow);
  EXPECT_EQ(second.asked, "2;") << "by another device";
  pins.forget(1);
}

TEST_F(Pins, ThereIsALimitAndARefusalIsFinal) {
  copy(0, 9);
  EXPECT_EQ(device.asked, "") << "more than all that may be locked";
  copy(1, 8);
  EXPECT_EQ(device.asked, "1;");
  pins.forget(1);
  device.refuses = true;
  copy(2, 1, 50);
  EXPECT_EQ(device.asked, "1;2;");
  EXPECT_EQ(pins.lockedBytes(), 0u);
}

}  // namespace
}  // namespace muster::cap
