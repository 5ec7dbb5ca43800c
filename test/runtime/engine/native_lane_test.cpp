// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that computes a rank's chunks while the rank goes on.
#include "node/native_lane.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace muster::rt {
namespace {

TEST(NativeLane, TasksRunInTheirOrderBesideTheCaller) {
  NativeLane lane;
  const std::thread::id self = std::this_thread::get_id();
  std::atomic<bool> mayGo{false};
  std::vector<int> ran;
  std::vector<NativeLane::Number> numbers;
  for (int i = 0; i < 5; ++i) {
    const auto number = lane.run([&, i]() -> Status {
      while (!mayGo) std::this_thread::yield();
      EXPECT_NE(std::this_thread::get_id(), self);
      ran.push_back(i);
      return {};
    });
    ASSERT_TRUE(number.ok()) << number.status().message();
    numbers.push_back(*number);
  }
  EXPECT_FALSE(lane.isDone(numbers.front()));
  mayGo = true;
  EXPECT_TRUE(lane.wait(numbers.back()).ok());
  for (const NativeLane::Number number : numbers) EXPECT_TRUE(lane.isDone(number));
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(NativeLane, AfterAnErrorNothingRuns) {
  NativeLane lane;
  bool ran = false;
  const auto bad = lane.run([]() -> Status { return {Errc::internal, "it fails"}; });
  const auto next = lane.run([&]() -> Status {
    ran = true;
    return {};
  });
  ASSERT_TRUE(bad.ok() && next.ok());
  EXPECT_EQ(lane.wait(*bad).message(), "it fails");
  EXPECT_EQ(lane.wait(*next).message(), "it fails");
  EXPECT_FALSE(ran);
}

TEST(NativeLane, ItsEndComesAfterAllTasks) {
  std::atomic<int> ran{0};
  {
    NativeLane lane;
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(lane.run([&]() -> Status {
                        std::this_thread::sleep_for(std::chrono::milliseconds(5));
                        ++ran;
                        return {};
                      })
                      .ok());
  }
  EXPECT_EQ(ran, 3);
  const NativeLane unused;
}

}  // namespace
}  // namespace muster::rt
