// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transfer that fails while devices are at work: what they use is still there when they are done.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "muster/cap/executor.h"
#include "muster/cdm/transports.h"

namespace muster::cap {
namespace {

cdm::DeviceInfo infoOf(const char* name) {
  cdm::DeviceInfo info;
  info.name = name;
  info.backend = "test";
  info.memoryBytes = info.maxAllocationBytes = std::uint64_t{1} << 30;
  info.computeUnits = 1;
  return info;
}

// Does what it is told only when it is waited for, and fails at one of its writes.
class LateDevice final : public cdm::ComputeDevice {
 public:
  LateDevice(const char* name, int failingWrite) : ComputeDevice(infoOf(name)), failingWrite_(failingWrite) {}
  [[nodiscard]] std::size_t underWay() const { return work_.size(); }
  int freedTooEarly = 0;  // memory for messages, while work was under way

 protected:
  Result<cdm::BufferId> doAllocate(std::size_t bytes) override {
    buffers_[++last_].resize(bytes);
    return last_;
  }
  Status doRelease(cdm::BufferId buffer) override {
    finishAll();
    buffers_.erase(buffer);
    return {};
  }
  Result<cdm::Event> doWrite(cdm::BufferId to, std::size_t offset, const void* from, std::size_t bytes) override {
    if (++writes_ == failingWrite_) return Status(Errc::deviceLost, "the write fails");
    return later([this, to, offset, from, bytes] { std::memcpy(buffers_[to].data() + offset, from, bytes); });
  }
  Result<cdm::Event> doRead(cdm::BufferId from, std::size_t offset, void* to, std::size_t bytes) override {
    return later([this, from, offset, to, bytes] { std::memcpy(to, buffers_[from].data() + offset, bytes); });
  }
  Result<cdm::Event> doCopy(cdm::BufferId, std::size_t, cdm::BufferId, std::size_t, std::size_t) override {
    return Status(Errc::unsupported, "no copies here");
  }
  Result<cdm::PinnedMemory> doPinnedMemory(std::size_t bytes) override {
    return cdm::PinnedMemory(new std::byte[bytes], [this](const std::byte* memory) {
      freedTooEarly += work_.empty() ? 0 : 1;
      delete[] memory;
    });
  }
  Status doPrepare(const cdm::KernelCode&, double) override { return {}; }
  Result<cdm::Event> doLaunch(const cdm::KernelLaunch&) override {
    return Status(Errc::unsupported, "no kernels here");
  }
  Status doWait(cdm::Event event) override {
    while (!work_.empty() && work_.front().first <= event) runFirst();
    return {};
  }
  Status doFinish() override {
    finishAll();
    return {};
  }

 private:
  Result<cdm::Event> later(std::function<void()> work) {
    work_.emplace_back(++events_, std::move(work));
    return events_;
  }
  void runFirst() {
    work_.front().second();
    work_.pop_front();
  }
  void finishAll() {
    while (!work_.empty()) runFirst();
  }

  const int failingWrite_;
  int writes_ = 0;
  cdm::BufferId last_ = 0;
  cdm::Event events_ = 0;
  std::map<cdm::BufferId, std::vector<std::byte>> buffers_;
  std::deque<std::pair<cdm::Event, std::function<void()>>> work_;
};

constexpr std::int64_t kElements = 64;
constexpr MemoryId kFirst = 1, kSecond = 2;

Plan moveAll(MemoryId from, MemoryId to) {
  Plan plan;
  plan.copies.push_back({1, 8, {0, kElements}, from, to});
  plan.next.emplace_back(1, std::make_shared<const ArrayState>(kElements, to));
  return plan;
}

// From one device to the other in parts, of which one cannot be written while others are still being read. Without the
// fault everything arrives.
void moveInParts(int failingWrite, bool fails) {
  LateDevice first("first", 0), second("second", failingWrite);
  auto transports = cdm::makeLoopbackTransports(1);
  std::vector<std::int64_t> host(kElements);
  for (std::int64_t i = 0; i < kElements; ++i) host[static_cast<std::size_t>(i)] = i * i;
  {
    Executor executor(*transports[0], {&first, &second},
                      {{.rank = 0, .index = 0, .memory = kFirst, .name = "first"},
                       {.rank = 0, .index = 1, .memory = kSecond, .name = "second"}},
                      {.pipeline = {.messageBytes = 64, .windowBytes = 256}});
    ASSERT_TRUE(executor.addArray({1, 8, kElements, "a", reinterpret_cast<std::byte*>(host.data())}).ok());
    ASSERT_TRUE(executor.transfer(moveAll(hostMemory, kFirst), 1).ok());
    const Status moved = executor.transfer(moveAll(kFirst, kSecond), 2);
    EXPECT_EQ(moved.ok(), !fails) << moved.message();
    EXPECT_EQ(first.underWay(), 0u);
    if (!fails) {
      std::fill(host.begin(), host.end(), -1);
      ASSERT_TRUE(executor.transfer(moveAll(kSecond, hostMemory), 3).ok());
      for (std::int64_t i = 0; i < kElements; ++i) ASSERT_EQ(host[static_cast<std::size_t>(i)], i * i);
    }
  }
  EXPECT_EQ(first.freedTooEarly, 0);
  EXPECT_EQ(second.freedTooEarly, 0);
}

TEST(ExecutorError, NothingIsFreedWhileDevicesUseIt) {
  moveInParts(0, false);
  for (int failing = 1; failing <= 8; ++failing) moveInParts(failing, true);
}

// Of memory that nobody ever touched.
TEST(ExecutorError, AFillThatFailsNamesTheDevice) {
  constexpr std::int64_t kMany = 1 << 17;
  std::vector<std::byte> host(kMany);
  for (const bool fails : {false, true}) {
    LateDevice device("first", fails ? 1 : 0);  // its fills are writes
    auto transports = cdm::makeLoopbackTransports(1);
    Executor executor(*transports[0], {&device}, {{.rank = 0, .index = 0, .memory = kFirst, .name = "first"}}, {});
    const auto all = [](const Interval& bytes, std::int64_t) { return std::vector<Interval>{bytes}; };
    ASSERT_TRUE(executor.addArray({1, 1, kMany, "a", host.data(), {all}}).ok());
    Plan plan;
    plan.copies.push_back({1, 1, {0, kMany}, hostMemory, kFirst});
    plan.next.emplace_back(1, std::make_shared<const ArrayState>(kMany, kFirst));
    const Status moved = executor.transfer(plan, 1);
    EXPECT_EQ(moved.ok(), !fails) << moved.message();
    if (fails) EXPECT_NE(moved.message().find("first: the write fails"), std::string::npos) << moved.message();
  }
}

}  // namespace
}  // namespace muster::cap
