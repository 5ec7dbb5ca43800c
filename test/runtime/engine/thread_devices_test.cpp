// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices of threads, with threads that are real ones.
#include "balance/thread_devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace muster::rt {
namespace {

using namespace std::chrono_literals;

// A launch that takes so long on a core, and no time on a device.
std::optional<std::uint32_t> launch(ThreadDevices& devices, std::uint64_t kernel, std::chrono::microseconds takes) {
  const ThreadDevices::Launch own(devices, kernel, 1000);
  const auto end = std::chrono::steady_clock::now() + takes;
  while (!own.device() && std::chrono::steady_clock::now() < end) {
  }
  return own.device();
}

TEST(ThreadDevices, SeveralAreThoseThatLaunchAtOnce) {
  ThreadDevices devices(ThreadMode::fixed, {3});
  for (int i = 0; i < 3; ++i) const ThreadDevices::Nested alone(devices);
  EXPECT_FALSE(devices.areSeveral());
  {
    const ThreadDevices::Nested first(devices);
    std::thread([&] { const ThreadDevices::Nested second(devices); }).join();
    EXPECT_TRUE(devices.areSeveral());
  }
  const ThreadDevices::Nested later(devices);
  EXPECT_TRUE(devices.areSeveral());
}

TEST(ThreadDevices, StayWithTheFirstThreadsUntilTheseEnd) {
  ThreadDevices devices(ThreadMode::fixed, {3, 5});
  std::vector<std::optional<std::uint32_t>> got(5);
  std::latch asked(1);
  std::vector<std::thread> threads;
  for (auto& device : got) {
    std::latch launched(1);
    threads.emplace_back([&] {
      device = launch(devices, 1, 1us);
      launched.count_down();
      asked.wait();
    });
    launched.wait();
  }
  EXPECT_EQ(std::count(got.begin(), got.end(), std::optional(3u)), 2);
  EXPECT_EQ(std::count(got.begin(), got.end(), std::optional(5u)), 2);
  asked.count_down();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(launch(devices, 1, 1us)) << "a thread that ended gave its device back";
  const Report::ThreadLaunches counts = devices.counts();
  EXPECT_EQ(counts.onDevices, 5u);
  EXPECT_EQ(counts.onCores, 1u);
}

// Whatever else the machine does, it has the device at some time.
bool getsDevice(ThreadDevices& devices, std::uint64_t kernel) {
  for (int i = 0; i < 5000; ++i)
    if (launch(devices, kernel, 1ms)) return true;
  return false;
}

TEST(ThreadDevices, ACoreTellsFirstWhatALoopCosts) {
  ThreadDevices devices(ThreadMode::donate, {3});
  EXPECT_FALSE(launch(devices, 1, 1ms));
  EXPECT_TRUE(getsDevice(devices, 1));
  EXPECT_FALSE(launch(devices, 2, 1ms)) << "nobody knows what it costs";
  EXPECT_TRUE(getsDevice(devices, 2));
}

TEST(ThreadDevices, ALaunchThatCannotRunThereIsOnTheCore) {
  ThreadDevices devices(ThreadMode::fixed, {3});
  {
    ThreadDevices::Launch own(devices, 1, 10);
    ASSERT_TRUE(own.device());
    own.stayOnCore();
  }
  EXPECT_EQ(devices.counts().onCores, 1u);
}

// A device that can run none of a thread's loops is nothing to keep.
TEST(ThreadDevices, AThreadWithoutUseForItsDeviceGivesItBack) {
  ThreadDevices devices(ThreadMode::donate, {3});
  ASSERT_TRUE(getsDevice(devices, 1));
  int had = 0;
  for (int i = 0; i < 200; ++i) {
    ThreadDevices::Launch own(devices, 1, 1000);
    if (own.device()) ++had;
    own.stayOnCore();
    for (const auto end = std::chrono::steady_clock::now() + 1ms; std::chrono::steady_clock::now() < end;) {
    }
  }
  EXPECT_LT(had, 150);
}

TEST(ThreadDevices, ThreadsMayOutliveThem) {
  std::latch launched(1), gone(1);
  auto devices = std::make_unique<ThreadDevices>(ThreadMode::fixed, std::vector<std::uint32_t>{3});
  std::thread thread([&] {
    EXPECT_TRUE(launch(*devices, 1, 1us));
    launched.count_down();
    gone.wait();
    ThreadDevices others(ThreadMode::fixed, {4});
    EXPECT_EQ(launch(others, 1, 1us), std::optional(4u));
  });
  launched.wait();
  devices.reset();
  gone.count_down();
  thread.join();
}

}  // namespace
}  // namespace muster::rt
