// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in a row on CUDA, which start together as graphs, on the stand-in.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/cpu_device.h"
#include "conformance.h"
#include "fake_cuda.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

constexpr std::int64_t elements = 700;
constexpr std::size_t bytes = elements * sizeof(int);
constexpr int roundsToGraphs = 60;  // more than enough

std::unique_ptr<ComputeDevice> openCard(const std::shared_ptr<Faults>& faults = nullptr, bool holds = true) {
  StreamOptions options;
  options.fuse = holds;
  Result<std::unique_ptr<ComputeDevice>> device = fakeCuda(faults).open(0, options);
  EXPECT_TRUE(device.ok()) << device.status().message();
  return device ? std::move(*device) : nullptr;
}

std::shared_ptr<Faults> failing(const char* call) {
  return std::make_shared<Faults>(std::vector<Fault>{{call, 1, -1}}, 0);
}

// Rounds of three launches, whose sizes and scalars change: y += 1; z = y + round; y = z + 2.
class Rounds {
 public:
  explicit Rounds(ComputeDevice& device) : device_(device) {
    const std::vector<int> zeros(elements);
    for (BufferId* buffer : {&y_, &z_}) {
      *buffer = *device.allocate(bytes);
      EXPECT_TRUE(device.write(*buffer, 0, zeros.data(), bytes).ok());
    }
  }

  Status run(int rounds) {
    for (int i = 0; i < rounds; ++i)
      for (const int which : {0, 1, 2}) MUSTER_TRY(runOne(which));
    return {};
  }
  // One of these three, of which the last one begins another round.
  Status runOne(int which) {
    const std::int64_t count = 1 + round_ * 37 % elements;
    if (which == 0) return launch(increment(), count, {{y_, 0}}, nullptr);
    if (which == 1) return launch(addScalar<int>(), count, {{y_, 0}, {z_, 0}}, &round_);
    const int two = 2;
    ++round_;
    return launch(addScalar<int>(), elements, {{z_, 0}, {y_, 0}}, &two);
  }
  std::vector<int> values() {
    std::vector<int> all(elements, -1);
    EXPECT_TRUE(device_.read(y_, 0, all.data(), bytes).ok());
    const Status status = device_.finish();
    EXPECT_TRUE(status.ok()) << status.message();
    return all;
  }
  Event last() const { return last_; }
  BufferId buffer() const { return z_; }

 private:
  Status launch(const KernelCode& code, std::int64_t count, const std::vector<ArrayArg>& arrays, const int* scalar) {
    const muster_dim dim = {0, 1, count};
    const void* const scalars[] = {scalar};
    KernelLaunch launch;
    launch.code = &code;
    launch.dims = {&dim, 1};
    launch.hi = count;
    launch.arrays = arrays;
    if (scalar != nullptr) launch.scalars = scalars;
    const Result<Event> event = device_.launch(launch);
    if (event) last_ = *event;
    return event.status();
  }

  ComputeDevice& device_;
  BufferId y_ = 0, z_ = 0;
  int round_ = 0;
  Event last_ = 0;
};

std::vector<int> expected(int rounds) {
  const auto cpu = makeCpuDevice(1);
  Rounds oracle(*cpu);
  EXPECT_TRUE(oracle.run(rounds).ok());
  return oracle.values();
}

class HeldLaunches : public testing::Test {
 protected:
  void SetUp() override {
    if (const CudaInventory present = fakeCuda(); present.entries().empty()) GTEST_SKIP() << present.problem();
  }
};

}  // namespace

TEST_F(HeldLaunches, StartAsGraphsWithTheResultsOfTheCallsOrder) {
  for (const char* words : {"", "shuffle=1", "shuffle=2", "refuses-changes"}) {
    SCOPED_TRACE(words);
    const ScopedVariable fake("FAKE_CUDA", words);
    const auto device = openCard();
    Rounds rounds(*device);
    ASSERT_TRUE(rounds.run(roundsToGraphs).ok());
    EXPECT_EQ(rounds.values(), expected(roundsToGraphs));
    ASSERT_TRUE(rounds.run(25).ok());
    EXPECT_EQ(rounds.values(), expected(roundsToGraphs + 25));
  }
}

// Each in another order: graphs of as many kernels get others.
TEST_F(HeldLaunches, OfKernelsThatNeverCameInThatOrder) {
  std::mt19937 random(7);
  std::vector<int> order(400);
  for (int& which : order) which = static_cast<int>(random() % 3);
  const auto cpu = makeCpuDevice(1), card = openCard();
  Rounds oracle(*cpu), rounds(*card);
  for (const int which : order) {
    ASSERT_TRUE(oracle.runOne(which).ok());
    ASSERT_TRUE(rounds.runOne(which).ok());
  }
  EXPECT_EQ(rounds.values(), oracle.values());
}

// That there are graphs at all: this call is made only for them.
TEST_F(HeldLaunches, GraphThatDoesNotStartLosesTheCard) {
  const auto device = openCard(failing("cuGraphLaunch"));
  Rounds rounds(*device);
  Status status = rounds.run(roundsToGraphs);
  if (status.ok()) status = device->finish();
  expectError(status, Errc::deviceLost, "launches in a row: launches that waited for others: CUDA_ERROR_LAUNCH_FAILED");
}

TEST_F(HeldLaunches, WhereTheDriverMakesNoGraphTheyStartOneByOne) {
  for (const char* call :
       {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiateWithFlags", "cuGraphExecKernelNodeSetParams"}) {
    SCOPED_TRACE(call);
    const auto device = openCard(failing(call));
    Rounds rounds(*device);
    ASSERT_TRUE(rounds.run(roundsToGraphs).ok());
    EXPECT_EQ(rounds.values(), expected(roundsToGraphs));
  }
}

TEST_F(HeldLaunches, StartWhenNobodyElseComes) {
  const auto device = openCard();
  Rounds rounds(*device);
  ASSERT_TRUE(rounds.run(2).ok());
  EXPECT_FALSE(device->holdsLaunches()) << "a short run";
  ASSERT_TRUE(rounds.run(2).ok());
  EXPECT_TRUE(device->holdsLaunches());
  ASSERT_TRUE(device->flush().ok());
  EXPECT_FALSE(device->holdsLaunches());
  EXPECT_EQ(rounds.values(), expected(4));
}

TEST_F(HeldLaunches, ThatOneOfThemIsWaitedFor) {
  const auto device = openCard();
  Rounds rounds(*device);
  ASSERT_TRUE(rounds.run(5).ok());
  EXPECT_TRUE(device->holdsLaunches());
  ASSERT_TRUE(device->wait(rounds.last()).ok());
  EXPECT_FALSE(device->holdsLaunches());
}

TEST_F(HeldLaunches, StartBeforeTheirMemoryGoes) {
  const auto device = openCard();
  Rounds rounds(*device);
  ASSERT_TRUE(rounds.run(5).ok());
  ASSERT_TRUE(device->release(rounds.buffer()).ok());
  EXPECT_FALSE(device->holdsLaunches());
  EXPECT_EQ(rounds.values(), expected(5));
}

TEST_F(HeldLaunches, AreTimedAsOthersAre) {
  for (const Timings timings : {Timings::samples, Timings::all}) {
    const auto device = openCard();
    ASSERT_TRUE(device->keepTimings(timings).ok());
    Rounds rounds(*device);
    ASSERT_TRUE(rounds.run(roundsToGraphs).ok());
    EXPECT_EQ(rounds.values(), expected(roundsToGraphs));
    std::size_t launches = 0, measured = 0;
    for (const OperationTiming& timing : device->takeTimings()) {
      launches += timing.kind == OperationTiming::Kind::kernel ? 1 : 0;
      measured += timing.kind == OperationTiming::Kind::kernel && timing.measured ? 1 : 0;
    }
    EXPECT_EQ(launches, 3u * roundsToGraphs);
    EXPECT_GT(measured, timings == Timings::all ? launches - 1 : launches / 10);
  }
}

TEST_F(HeldLaunches, CardThatIsToldNotToHoldsNone) {
  const auto device = openCard(nullptr, false);
  Rounds rounds(*device);
  ASSERT_TRUE(rounds.run(roundsToGraphs).ok());
  EXPECT_FALSE(device->holdsLaunches());
  EXPECT_EQ(rounds.values(), expected(roundsToGraphs));
}

// Others' kernels may have their addresses.
TEST_F(HeldLaunches, CardsComeAndGo) {
  for (int i = 0; i < 3; ++i) {
    const auto device = openCard();
    Rounds rounds(*device);
    ASSERT_TRUE(rounds.run(roundsToGraphs).ok());
    EXPECT_EQ(rounds.values(), expected(roundsToGraphs));
    ASSERT_TRUE(rounds.run(4).ok());  // and leave while launches wait
  }
}

}  // namespace muster::cdm::test
