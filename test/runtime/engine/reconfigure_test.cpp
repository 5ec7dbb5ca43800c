// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves when the device set changes: elements that change their owner, once, when a launch uses them; nothing
// that is valid already.
#include <gtest/gtest.h>

#include "test_job.h"

namespace {

using muster::cap::Chunk;
using muster::cap::Copy;
using muster::cap::IntervalSet;
using muster::rt::testing::Pair;
using muster::rt::testing::TestJob;

struct Setup {
  const char* devices;
  bool async;
  friend void PrintTo(const Setup& setup, std::ostream* out) {
    *out << muster::testing::testName({setup.devices, setup.async ? "async" : ""});
  }
};

class Reconfigure : public ::testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    job_ = std::make_unique<TestJob>(4, GetParam().devices, std::vector<double>{}, muster::cap::ExecutorOptions{},
                                     muster::rt::testing::JobRules{.async = GetParam().async});
  }
  void use(const std::vector<double>& speeds) { ASSERT_TRUE(job_->controller().setWeights({speeds, 0, {}}).ok()); }
  void axpy(Pair<int>& x, int a) {
    programs::axpy(x.managed, static_cast<long>(x.plain.size()), a);
    for (std::size_t i = 0; i < x.plain.size(); ++i) x.plain[i] += static_cast<int>(i) * a;
    auto& owned = owned_[x.managed];
    changedOwner_ = 0;
    std::map<muster::cap::MemoryId, IntervalSet> now;
    for (const Chunk& chunk : job_->lastPlan->chunks) {
      now[chunk.memory].add({chunk.lo, chunk.hi});
      IntervalSet fresh = now[chunk.memory];
      fresh.subtract(owned[chunk.memory]);
      changedOwner_ += fresh.size() * static_cast<std::int64_t>(sizeof(int));
    }
    owned = std::move(now);
  }
  // That the last launch moved.
  std::int64_t bytesOf(const void* array) const {
    std::int64_t bytes = 0;
    muster::cap::forEachCopy(*job_->lastPlan, [&](const Copy& copy) {
      if (copy.array == job_->idOf(array)) bytes += copy.bytes();
    });
    return bytes;
  }

  std::unique_ptr<TestJob> job_;
  std::int64_t changedOwner_ = 0;  // bytes of the last axpy's array

 private:
  std::map<const void*, std::map<muster::cap::MemoryId, IntervalSet>> owned_;
};

constexpr std::size_t kCount = 10007;

TEST_P(Reconfigure, OnlyWhatChangesOwnerMoves) {
  Pair<int> x(*job_, kCount);
  x.fill([](std::size_t i) { return static_cast<int>(i % 911); });
  axpy(x, 3);
  int step = 0;
  for (const auto& speeds : std::vector<std::vector<double>>{
           {1, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 1}, {3, 1, 2, 5}, {0, 1, 0, 5}, {1, 1, 1, 1}}) {
    use(speeds);
    axpy(x, ++step);
    EXPECT_GT(changedOwner_, 0);
    EXPECT_EQ(job_->lastPlan->bytesMoved(), changedOwner_) << "step " << step;
    axpy(x, ++step);
    EXPECT_EQ(job_->lastPlan->bytesMoved(), 0) << "step " << step << ": once is enough";
  }
  x.expectSame(*job_, 0, kCount);
}

TEST_P(Reconfigure, ReplicasThatStayValidAreNotSentAgain) {
  Pair<int> index(*job_, kCount), x(*job_, kCount), y(*job_, kCount);
  index.fill([](std::size_t i) { return static_cast<int>(i * 7919 % kCount); });
  x.fill([](std::size_t i) { return static_cast<int>(i * 31 % 1009); });
  y.fill([](std::size_t) { return 0; });
  const auto gather = [&] {
    programs::gatherThrough(index.managed, x.managed, y.managed, kCount);
    for (std::size_t i = 0; i < kCount; ++i) y.plain[i] = x.plain[static_cast<std::size_t>(index.plain[i])];
  };
  gather();
  if (job_->lastPlan->onHost) GTEST_SKIP() << "a kernel without OpenCL text";
  EXPECT_GE(bytesOf(x.managed), static_cast<std::int64_t>(3 * kCount * sizeof(int))) << "everybody reads all of it";
  for (const auto& speeds : std::vector<std::vector<double>>{{1, 1, 0, 0}, {0, 1, 1, 0}, {1, 1, 1, 1}}) {
    use(speeds);
    gather();
    EXPECT_EQ(bytesOf(x.managed), 0) << "all devices have it";
    EXPECT_EQ(bytesOf(y.managed), 0) << "it is written and not read";
  }
  EXPECT_EQ(bytesOf(index.managed), 0) << "what left the devices' parts is still valid there";
  x.write(*job_, 5, 6, 77);
  gather();
  EXPECT_GE(bytesOf(x.managed), static_cast<std::int64_t>(3 * sizeof(int))) << "now it is not";
  y.expectSame(*job_, 0, kCount);
}

TEST_P(Reconfigure, ArraysMoveWhenALoopUsesThem) {
  Pair<int> x(*job_, kCount), z(*job_, kCount);
  x.fill([](std::size_t i) { return static_cast<int>(i % 911); });
  z.fill([](std::size_t i) { return static_cast<int>(i % 613); });
  axpy(x, 3);
  axpy(z, 5);
  const auto before = job_->node().state(job_->idOf(x.managed));
  use({0, 1, 1, 0});
  axpy(z, 7);
  EXPECT_EQ(bytesOf(z.managed), changedOwner_);
  EXPECT_EQ(bytesOf(x.managed), 0);
  EXPECT_EQ(job_->lastPlan->bytesMoved(), changedOwner_);
  EXPECT_EQ(job_->node().state(job_->idOf(x.managed)), before) << "nobody asked for it";
  axpy(x, 9);
  EXPECT_EQ(bytesOf(x.managed), changedOwner_);
  x.expectSame(*job_, 0, kCount);
  z.expectSame(*job_, 0, kCount);
}

// It hears of all launches and changes, answers questions, and harms nobody.
TEST(ReconfigureRanks, ARankWithoutDevicesTakesPartInNothing) {
  for (const int idle : {0, 1, 3}) {
    TestJob job(4, "cpu", {}, {}, {.async = true, .withoutDevices = idle});
    ASSERT_EQ(job.table().devices().size(), 3u);
    const auto park = muster::rt::Park::of(job.table(), {1, 1, 1});
    EXPECT_EQ(park.text(park.full()), "3:cpu");
    for (const auto& set : park.all()) {
      Pair<int> x(job, kCount);
      x.fill([](std::size_t i) { return static_cast<int>(i % 911); });
      std::vector<double> speeds;
      for (const bool member : park.members(set)) speeds.push_back(member ? 1 : 0);
      ASSERT_TRUE(job.controller().setWeights({speeds, 0, {}}).ok());
      programs::axpy(x.managed, kCount, 3);
      EXPECT_EQ(job.lastPlan->chunks.size(), static_cast<std::size_t>(set.machines));
      for (std::size_t i = 0; i < kCount; ++i) x.plain[i] += static_cast<int>(i) * 3;
      x.expectSame(job, 0, kCount);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Reconfigure,
                         ::testing::Values(Setup{"cpu", false}, Setup{"cpu", true}, Setup{"opencl:0", true}),
                         ::testing::PrintToStringParamName());

}  // namespace
