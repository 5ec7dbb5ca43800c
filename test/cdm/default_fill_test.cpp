// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fill() does on a device that has no fill of its own, and reads the memory of a write when it is waited for.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "conformance.h"

namespace muster::cdm::test {

namespace {

class LateDevice final : public ComputeDevice {
 public:
  LateDevice() : ComputeDevice(DeviceInfo{}) {}
  std::vector<std::byte> memory;
  std::size_t writes = 0, failAt = SIZE_MAX;

 protected:
  Result<BufferId> doAllocate(std::size_t bytes) override {
    memory.assign(bytes, std::byte{9});
    return BufferId{1};
  }
  Status doRelease(BufferId) override { return {}; }
  Result<Event> doWrite(BufferId, std::size_t offset, const void* from, std::size_t bytes) override {
    if (++writes == failAt) return Status(Errc::deviceLost, "gone");
    pending_ = {offset, static_cast<const std::byte*>(from), bytes};
    return Event{writes};
  }
  Result<Event> doRead(BufferId, std::size_t, void*, std::size_t) override { return Status(Errc::unsupported, "read"); }
  Result<Event> doCopy(BufferId, std::size_t, BufferId, std::size_t, std::size_t) override {
    return Status(Errc::unsupported, "copy");
  }
  Status doPrepare(const KernelCode&, double) override { return {}; }
  Result<Event> doLaunch(const KernelLaunch&) override { return Status(Errc::unsupported, "launch"); }
  Status doWait(Event event) override {
    EXPECT_EQ(event, writes) << "one write at a time";
    std::memcpy(memory.data() + pending_.offset, pending_.from, pending_.bytes);
    return {};
  }
  Status doFinish() override { return {}; }

 private:
  struct Pending {
    std::size_t offset = 0;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
  };
  Pending pending_;
};

constexpr std::size_t bytes = (std::size_t{3} << 20) + 12345;

TEST(DefaultFill, WritesInPartsAndWaits) {
  LateDevice device;
  const Result<BufferId> buffer = device.allocate(bytes);
  const Result<Event> filled = device.fill(*buffer, 7, std::byte{3}, bytes - 10);
  ASSERT_TRUE(filled.ok()) << filled.status().message();
  EXPECT_TRUE(device.wait(*filled).ok());
  std::vector<std::byte> expected(bytes, std::byte{9});
  std::fill(expected.begin() + 7, expected.end() - 3, std::byte{3});
  EXPECT_TRUE(device.memory == expected);
  EXPECT_GT(device.writes, 1u);
}

TEST(DefaultFill, ReportsAWriteThatFails) {
  LateDevice device;
  const Result<BufferId> buffer = device.allocate(bytes);
  device.failAt = 2;
  expectError(device.fill(*buffer, 0, std::byte{3}, bytes).status(), Errc::deviceLost, "gone");
}

}  // namespace

}  // namespace muster::cdm::test
