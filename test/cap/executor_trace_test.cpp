// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks wait for the times that their device gives, however many there are.
#include "executor/trace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace muster::cap {
namespace {

cdm::DeviceInfo infoOf(const char* name) {
  cdm::DeviceInfo info;
  info.name = name;
  info.backend = "test";
  return info;
}

// Has done everything at once, and lists what it is told to.
class ListingDevice final : public cdm::ComputeDevice {
 public:
  ListingDevice() : ComputeDevice(infoOf("listing")) {}
  cdm::Event run() {
    timings_.push_back({cdm::OperationTiming::Kind::kernel, ++last_, 1, 2, 0, last_ % 8 == 0});
    return last_;
  }

 protected:
  Result<cdm::BufferId> doAllocate(std::size_t) override { return no(); }
  Status doRelease(cdm::BufferId) override { return no(); }
  Result<cdm::Event> doWrite(cdm::BufferId, std::size_t, const void*, std::size_t) override { return no(); }
  Result<cdm::Event> doRead(cdm::BufferId, std::size_t, void*, std::size_t) override { return no(); }
  Result<cdm::Event> doCopy(cdm::BufferId, std::size_t, cdm::BufferId, std::size_t, std::size_t) override {
    return no();
  }
  Status doPrepare(const cdm::KernelCode&, double) override { return no(); }
  Result<cdm::Event> doLaunch(const cdm::KernelLaunch&) override { return no(); }
  Status doWait(cdm::Event) override { return {}; }
  Status doFinish() override { return {}; }
  std::vector<cdm::OperationTiming> doTakeTimings() override { return std::exchange(timings_, {}); }

 private:
  static Status no() { return {Errc::unsupported, "not here"}; }
  cdm::Event last_ = 0;
  std::vector<cdm::OperationTiming> timings_;
};

class Counter final : public TraceSink {
 public:
  [[nodiscard]] Detail detail() const override { return Detail::chunks; }
  void record(const TraceEvent& event) override {
    ++(event.measured ? measured : others);
    iterations += event.amount;
  }
  std::uint64_t measured = 0, others = 0, iterations = 0;
};

// Where nobody balances, nobody asks for times before the end; and launches that come again move nothing.
TEST(ExecutorTrace, CountsAllOfManyLaunchesThatMoveNothing) {
  constexpr std::uint64_t launches = 200'000;
  ListingDevice device;
  Counter counter;
  ExecutorTrace trace(&counter);
  ASSERT_TRUE(trace.add(device, 0).ok());
  const cdm::KernelCode code;
  const LaunchSpec spec;
  const muster_dim dim{0, 1, 10};
  for (std::uint64_t i = 1; i <= launches; ++i)
    trace.chunk(device, {.code = &code, .spec = &spec, .dims = {&dim, 1}, .scalars = {}}, {0, 10}, i, 1, device.run());
  trace.harvest();
  EXPECT_EQ(counter.measured, launches / 8);
  EXPECT_EQ(counter.others, launches - launches / 8);
  EXPECT_EQ(counter.iterations, 10 * launches);
}

}  // namespace
}  // namespace muster::cap
