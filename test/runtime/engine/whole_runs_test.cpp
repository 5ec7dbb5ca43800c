// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/whole_runs.h"

#include <gtest/gtest.h>

namespace muster::rt {
namespace {

constexpr double openSeconds = 0.4;

TEST(WholeRuns, TheFirstOneIsInPlaceAndTheSecondOneIsNot) {
  WholeRuns runs;
  EXPECT_FALSE(runs.goEverywhere(openSeconds));
  runs.note(false, 10);
  EXPECT_TRUE(runs.goEverywhere(openSeconds));
  runs.note(true, 5);
  EXPECT_TRUE(runs.goEverywhere(openSeconds));
}

TEST(WholeRuns, ShortOnesStayInPlace) {
  WholeRuns runs;
  runs.note(false, 1);
  EXPECT_FALSE(runs.goEverywhere(openSeconds));
}

TEST(WholeRuns, TheFirstOneWithDevicesBuildsKernels) {
  WholeRuns runs;
  runs.note(false, 10);
  runs.note(true, 12);
  EXPECT_TRUE(runs.goEverywhere(openSeconds));
  runs.note(true, 8);
  EXPECT_EQ(runs.everywhere(), 8);
  EXPECT_TRUE(runs.goEverywhere(openSeconds));

  WholeRuns slower;
  slower.note(false, 10);
  slower.note(true, 13);
  EXPECT_FALSE(slower.goEverywhere(openSeconds));
}

TEST(WholeRuns, OneThatIsSlowerIsNotTheEnd) {
  WholeRuns runs;
  runs.note(false, 10);
  for (int i = 0; i < 3; ++i) runs.note(true, 8);
  runs.note(true, 11);
  EXPECT_TRUE(runs.goEverywhere(openSeconds));
  runs.note(true, 11);
  EXPECT_FALSE(runs.goEverywhere(openSeconds));
  runs.note(false, 12);
  EXPECT_TRUE(runs.goEverywhere(openSeconds)) << "the machine has become slower";
}

// One that failed, or found no devices, counts as a slow one, and is repeated much later.
TEST(WholeRuns, OneThatWasLostIsForgottenLittleByLittle) {
  WholeRuns runs;
  runs.note(false, 10);
  runs = WholeRuns(runs.historyIfLost(1));
  int inPlace = 0;
  for (; !runs.goEverywhere(0) && inPlace < 1000; ++inPlace) runs.note(false, 10);
  EXPECT_GT(inPlace, 20);
  EXPECT_LT(inPlace, 200);
}

TEST(WholeRuns, OneThatIsLostDoesNotCountOnceItIsDone) {
  WholeRuns runs;
  runs.note(false, 10);
  EXPECT_FALSE(WholeRuns(runs.historyIfLost(1)).goEverywhere(0));
  runs.note(true, 12);
  EXPECT_TRUE(WholeRuns(runs.history(1)).goEverywhere(0));
}

TEST(WholeRuns, AreKeptForTheNextOnes) {
  WholeRuns runs;
  runs.note(false, 10);
  runs.note(true, 8);
  const WholeRuns next(runs.history(5));
  EXPECT_EQ(next.inPlace(), 10);
  EXPECT_EQ(next.everywhere(), 8);
  EXPECT_EQ(runs.history(5).loops.front().loop, 5u);
}

}  // namespace
}  // namespace muster::rt
