// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CudaClock: times of events as nanoseconds, however far apart they are.
#include "backends/cuda/clock.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

class CudaClockTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<CudaApiPtr> loaded = loadCudaApi(FAKE_CUDA_LIBRARY, nullptr);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    cuda_ = *loaded;
    if (cuda_->Init(0) != cuda::success) GTEST_SKIP() << "no POCL here";
    cuda::Context* context = nullptr;
    ASSERT_EQ(cuda_->DevicePrimaryCtxRetain(&context, 0), cuda::success);
    ASSERT_EQ(cuda_->CtxSetCurrent(context), cuda::success);
    ASSERT_EQ(cuda_->StreamCreate(&stream_, cuda::streamNonBlocking), cuda::success);
  }
  void TearDown() override {
    for (cuda::Event* event : events_) (void)cuda_->EventDestroy_v2(event);
    if (stream_ != nullptr) (void)cuda_->DevicePrimaryCtxRelease_v2(0);
  }

  // A complete event, so many milliseconds after it was so many.
  cuda::Event* eventAt(int milliseconds) {
    const ScopedVariable later("FAKE_CUDA", ("later=" + std::to_string(milliseconds)).c_str());
    cuda::Event* event = nullptr;
    EXPECT_EQ(cuda_->EventCreate(&event, cuda::eventDefault), cuda::success);
    EXPECT_EQ(cuda_->EventRecord(event, stream_), cuda::success);
    return events_.emplace_back(event);
  }
  // As the clock tells it at that time.
  std::int64_t timeOf(CudaClock& clock, cuda::Event* event, int milliseconds) {
    const ScopedVariable later("FAKE_CUDA", ("later=" + std::to_string(milliseconds)).c_str());
    const auto [error, ns] = clock.timeOf(event);
    EXPECT_EQ(error, cuda::success);
    return ns;
  }
  // What the driver says itself, which is exact for events close to each other.
  std::int64_t between(cuda::Event* from, cuda::Event* to) {
    float milliseconds = 0;
    EXPECT_EQ(cuda_->EventElapsedTime(&milliseconds, from, to), cuda::success);
    return static_cast<std::int64_t>(double{milliseconds} * 1e6);
  }

  CudaApiPtr cuda_;
  cuda::Stream* stream_ = nullptr;
  std::vector<cuda::Event*> events_;
};

constexpr int hour = 3600 * 1000;

}  // namespace

TEST_F(CudaClockTest, TellsHowFarApartEventsAre) {
  CudaClock clock(*cuda_);
  cuda::Event* const first = eventAt(0);
  const std::int64_t began = timeOf(clock, first, 0);
  EXPECT_NEAR(static_cast<double>(timeOf(clock, eventAt(700), 700) - began), 700e6, 50e6);
  EXPECT_NEAR(static_cast<double>(timeOf(clock, eventAt(5000), 5000) - began), 5000e6, 50e6);
  EXPECT_NEAR(static_cast<double>(timeOf(clock, eventAt(hour), hour) - began), hour * 1e6, 100e6);
  clock.close();
}

// A float of an hour's milliseconds has steps of 250 us.
TEST_F(CudaClockTest, ShortCommandsAreAsLongAfterAnHour) {
  CudaClock clock(*cuda_);
  (void)timeOf(clock, eventAt(0), 0);
  cuda::Event *const begin = eventAt(hour), *const end = eventAt(hour);
  const std::int64_t began = timeOf(clock, begin, hour), ended = timeOf(clock, end, hour);
  EXPECT_NEAR(static_cast<double>(ended - began), static_cast<double>(between(begin, end)), 100);
  clock.close();
}

TEST_F(CudaClockTest, NeverGoesBack) {
  CudaClock clock(*cuda_);
  std::int64_t last = timeOf(clock, eventAt(0), 0);
  for (int at = 100; at < 20000; at += 377) {
    const std::int64_t now = timeOf(clock, eventAt(at), at);
    EXPECT_GT(now, last) << at;
    last = now;
  }
  clock.close();
}

TEST_F(CudaClockTest, ErrorsLeaveItAsItWas) {
  CudaClock clock(*cuda_);
  cuda::Event* unrecorded = nullptr;
  ASSERT_EQ(cuda_->EventCreate(&unrecorded, cuda::eventDefault), cuda::success);
  events_.push_back(unrecorded);
  EXPECT_NE(clock.timeOf(unrecorded).first, cuda::success);
  cuda::Event* const first = eventAt(0);
  const std::int64_t began = timeOf(clock, first, 0);
  EXPECT_NE(clock.timeOf(unrecorded).first, cuda::success);
  EXPECT_EQ(timeOf(clock, first, 0), began);
  clock.close();
  clock.close();
}

}  // namespace muster::cdm::test
