// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches wait for others, and become one with them.
#include "engine/controller/time_steps.h"

#include <gtest/gtest.h>

#include <utility>

namespace muster::rt {
namespace {

constexpr muster_steps kSteps = {3, 1, 0, 1, 0};

protocol::Launch step(bool back) {
  protocol::Launch launch;
  launch.kernel = 5;
  launch.dims = {{1, 1, 8}, {1, 1, 8}};
  launch.forms = {10, 1, 0};
  launch.arrays = {{1, 0}, {2, 100}, {3, 0}};
  launch.scalars = {{std::byte{4}}};
  if (back) std::swap(launch.arrays[0], launch.arrays[1]);
  return launch;
}

// Two launches that were carried out let others wait.
class TimeStepsTest : public testing::Test {
 protected:
  TimeStepsTest() { prove(); }
  void prove() {
    for (const bool back : {false, true}) {
      EXPECT_FALSE(steps.takes(step(back)));
      steps.ran(step(back), kSteps, true);
    }
  }
  TimeSteps steps;
};

TEST_F(TimeStepsTest, BecomeOneWhenOneMoreWaits) {
  for (const bool back : {false, true, false}) {
    ASSERT_TRUE(steps.takes(step(back)));
    EXPECT_EQ(steps.takeTogether(), std::nullopt);
  }
  ASSERT_TRUE(steps.takes(step(true)));
  protocol::Launch expected = step(false);
  expected.steps = 3;
  EXPECT_EQ(steps.takeTogether(), expected);
  EXPECT_EQ(steps.takeTogether(), std::nullopt);
  EXPECT_FALSE(steps.empty());
  // The next three begin in the other direction.
  for (const bool back : {false, true, false}) ASSERT_TRUE(steps.takes(step(back)));
  expected = step(true);
  expected.steps = 3;
  EXPECT_EQ(steps.takeTogether(), expected);
  EXPECT_EQ(steps.takeOne(), step(false));
  EXPECT_TRUE(steps.empty());
}

TEST_F(TimeStepsTest, RunAsTheyCameWhenNothingMayWaitAnyLonger) {
  for (const bool back : {true, false}) ASSERT_TRUE(steps.takes(step(back)));
  EXPECT_EQ(steps.takeOne(), step(true));
  EXPECT_EQ(steps.takeOne(), step(false));
  EXPECT_EQ(steps.takeOne(), std::nullopt);
}

TEST_F(TimeStepsTest, ComeInTurn) {
  ASSERT_TRUE(steps.takes(step(false)));
  EXPECT_FALSE(steps.takes(step(false)));
}

TEST_F(TimeStepsTest, AreEqualButForTheirArrays) {
  for (const auto& change : std::vector<void (*)(protocol::Launch&)>{
           [](auto& launch) { launch.scalars[0][0] = std::byte{5}; }, [](auto& launch) { launch.dims[0].count = 7; },
           [](auto& launch) { launch.forms[2] = 1; }, [](auto& launch) { launch.arrays[2].id = 4; },
           [](auto& launch) { launch.floatMode = 1; }, [](auto& launch) { launch.hostOnly = true; },
           [](auto& launch) { launch.nativeOnly = true; }, [](auto& launch) { launch.weights = {1}; },
           [](auto& launch) { launch.arrays[0].offset = 1; }}) {
    protocol::Launch other = step(false);
    change(other);
    EXPECT_FALSE(steps.takes(other));
  }
}

TEST_F(TimeStepsTest, DoNotWaitOnceTheHostHasOtherElements) {
  EXPECT_FALSE(TimeSteps().watches());
  EXPECT_TRUE(steps.watches());
  steps.hostChanged();
  EXPECT_FALSE(steps.watches());
  EXPECT_FALSE(steps.takes(step(false)));
  prove();
  EXPECT_TRUE(steps.takes(step(false)));
}

TEST_F(TimeStepsTest, DoNotWaitBehindOneThatTouchesTheHost) {
  steps.ran(step(false), kSteps, false);
  EXPECT_FALSE(steps.takes(step(true)));
}

TEST_F(TimeStepsTest, AreSplitWhereTheyCannotBeOne) {
  for (const bool back : {false, true, false, true}) ASSERT_TRUE(steps.takes(step(back)));
  ASSERT_TRUE(steps.takeTogether());
  steps.split(3);
  for (const bool back : {false, true, false, true}) EXPECT_EQ(steps.takeOne(), step(back));
  EXPECT_TRUE(steps.empty());
}

// What waited in vain could have begun earlier: the longer this goes on, the more seldom is it tried again.
TEST_F(TimeStepsTest, RestWhereTheyWaitInVain) {
  std::vector<int> rests;
  for (int round = 0; round < 4; ++round) {
    int rest = 0;
    while (!steps.takes(step(false))) ++rest;
    rests.push_back(rest);
    EXPECT_EQ(steps.takeOne(), step(false));
  }
  EXPECT_EQ(rests, (std::vector<int>{0, 3, 9, 21}));
  while (!steps.takes(step(false))) {
  }
  for (const bool back : {true, false, true}) ASSERT_TRUE(steps.takes(step(back)));
  ASSERT_TRUE(steps.takeTogether());
  ASSERT_TRUE(steps.takeOne());
  EXPECT_TRUE(steps.takes(step(false)));
}

TEST(TimeSteps, AreOfTwoArraysThatNoOtherArgumentIs) {
  const auto waits = [](const muster_steps& kind, const auto& change) {
    TimeSteps steps;
    protocol::Launch there = step(false);
    change(there);
    protocol::Launch back = there;
    std::swap(back.arrays[0], back.arrays[1]);
    steps.ran(there, kind, true);
    steps.ran(back, kind, true);
    return steps.takes(there);
  };
  EXPECT_TRUE(waits(kSteps, [](auto&) {}));
  EXPECT_FALSE(waits({}, [](auto&) {}));
  EXPECT_FALSE(waits(kSteps, [](auto& launch) { launch.arrays[2].id = 1; }));
  EXPECT_FALSE(waits(kSteps, [](auto& launch) { launch.arrays[2].id = 2; }));
  EXPECT_FALSE(waits(kSteps, [](auto& launch) { launch.arrays[1].id = 1; }));
  EXPECT_FALSE(waits(kSteps, [](auto& launch) { launch.arrays[0].absent = true; }));
  EXPECT_FALSE(waits(kSteps, [](auto& launch) { launch.arrays[2].opaque = true; }));
}

}  // namespace
}  // namespace muster::rt
