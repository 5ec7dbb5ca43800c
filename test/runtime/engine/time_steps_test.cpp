// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches wait for others, and become one with them.
#include "engine/controller/time_steps.h"

#include <gtest/gtest.h>

#include <utility>

namespace muster::rt {
namespace {

const TimeSteps::Loop kSteps = {{.most = 3, .reach = 1, .from = 0, .to = 1}};

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

// A stencil (5) and the copy back (6), which has arrays and scalars of its own in front.
class TurnsTest : public testing::Test {
 protected:
  TurnsTest() {
    for (KernelEntry& pair : pairs_) pair.code.schedule.steps = {.most = 3, .reach = 1, .from = 0, .to = 1};
    pairs_[1].isGuestFirst = true;
  }
  static protocol::Launch launchOf(bool isCopy) {
    protocol::Launch launch = step(false);
    if (!isCopy) return launch;
    launch.kernel = 6;
    launch.arrays = {{4, 0}, launch.arrays[1], launch.arrays[0]};
    launch.scalars = {{std::byte{7}}, {std::byte{8}}};
    launch.forms = {20, 1, 0};
    return launch;
  }
  static TimeSteps::Loop loopOf(bool isCopy) {
    TimeSteps::Loop loop{{.most = 3, .reach = 1, .from = 0, .to = 1}, {10, 1, 0}, true};
    if (isCopy) loop.steps = {.most = 1, .reach = 0, .from = 1, .to = 2};
    return loop;
  }
  void prove(const TimeSteps::Loop& stencil, const TimeSteps::Loop& copy) {
    steps.ran(launchOf(false), stencil, true);
    steps.ran(launchOf(true), copy, true);
  }
  bool waits() { return steps.takes(launchOf(false)); }

  std::array<KernelEntry, 2> pairs_;
  TimeSteps steps{[this](std::uint64_t first, std::uint64_t second) -> const KernelEntry* {
    return first + second == 11 ? &pairs_[first == 6] : nullptr;
  }};
};

TEST_F(TurnsTest, BecomeOneWithTheArgumentsOfBoth) {
  prove(loopOf(false), loopOf(true));
  for (const bool isCopy : {false, true, false, true}) ASSERT_TRUE(steps.takes(launchOf(isCopy)));
  protocol::Launch expected = launchOf(false);
  expected.steps = 3, expected.other = 6;
  expected.forms = {10, 1, 0, 20, 1, 0};
  expected.arrays.push_back({4, 0});
  expected.scalars = {{std::byte{4}}, {std::byte{7}}, {std::byte{8}}};
  EXPECT_EQ(steps.takeTogether(), expected);
  // The copy comes first now, in the stencil's text.
  for (const bool isCopy : {false, true, false}) ASSERT_TRUE(steps.takes(launchOf(isCopy)));
  expected.kernel = 6, expected.other = 5;
  EXPECT_EQ(steps.takeTogether(), expected);
  EXPECT_EQ(steps.takeOne(), launchOf(false));
  EXPECT_EQ(steps.takeOne(), std::nullopt);
}

TEST_F(TurnsTest, WriteTheSamePlaces) {
  TimeSteps::Loop copy = loopOf(true);
  copy.place[2] = 1;
  prove(loopOf(false), copy);
  EXPECT_FALSE(waits());
}

TEST_F(TurnsTest, HaveArraysThatAreAlike) {
  TimeSteps::Loop stencil = loopOf(false), copy = loopOf(true);
  stencil.isAlike = copy.isAlike = false;
  prove(stencil, copy);
  EXPECT_FALSE(waits());
}

TEST_F(TurnsTest, ComeInTurn) {
  prove(loopOf(false), loopOf(true));
  ASSERT_TRUE(waits());
  EXPECT_FALSE(steps.takes(launchOf(false)));
}

TEST_F(TurnsTest, NeedATextWithBoth) {
  TimeSteps none([](std::uint64_t, std::uint64_t) { return nullptr; });
  none.ran(launchOf(false), loopOf(false), true);
  none.ran(launchOf(true), loopOf(true), true);
  EXPECT_FALSE(none.takes(launchOf(false)));
}

// A copy there and back is no step of time.
TEST_F(TurnsTest, AreNoCopiesAlone) {
  TimeSteps::Loop copy = loopOf(true);
  protocol::Launch there = launchOf(true), back = there;
  std::swap(back.arrays[1], back.arrays[2]);
  steps.ran(there, copy, true);
  steps.ran(back, copy, true);
  EXPECT_FALSE(steps.takes(there));
}

TEST(TimeSteps, AreOfTwoArraysThatNoOtherArgumentIs) {
  const auto waits = [](const TimeSteps::Loop& kind, const auto& change) {
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
