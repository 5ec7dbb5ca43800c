// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights follow what devices take, on several ranks of one process: results stay right, shares become right.
#include <gtest/gtest.h>

#include <algorithm>

#include "timed_job.h"

namespace muster::test {
namespace {

constexpr std::int64_t kCount = 20'000;

TEST(Balance, SharesComeWithinATenthOfTheIdealAndResultsStayRight) {
  for (const int ranks : {1, 2, 3}) {
    JobOptions options;
    // Three devices, spread over the ranks; speeds 4 : 2 : 1.
    const std::vector<double> speeds = {1e-8, 2e-8, 4e-8};
    options.ranks.resize(static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < speeds.size(); ++i)
      options.ranks[i % static_cast<std::size_t>(ranks)].push_back(speeds[i]);
    options.balance = true;
    TimedJob job(options, kCount);
    for (int i = 0; i < 60; ++i) job.step();
    ASSERT_FALSE(job.changes().empty());
    EXPECT_LE(job.changes().size(), 2u);
    const std::vector<double> shares = job.lastShares();
    double sum = 0;
    for (const auto& list : options.ranks)
      for (const double speed : list) sum += 1 / speed;
    std::size_t number = 0;
    for (const auto& list : options.ranks) {
      for (const double speed : list) EXPECT_NEAR(shares[number++], 1 / speed / sum, 0.1 / speed / sum);
    }
    job.expectRight();
  }
}

TEST(Balance, RestsOnceItFits) {
  TimedJob job({.ranks = {{1e-8}, {3e-8}}, .balance = true}, kCount);
  for (int i = 0; i < 60; ++i) job.step();
  const auto before = job.changes().size();
  for (int i = 0; i < 400; ++i) job.step();
  EXPECT_EQ(job.changes().size(), before);
  job.expectRight();
}

TEST(Balance, WeightsThatFitAreLeftAlone) {
  TimedJob job({.ranks = {{1e-8}, {2e-8}}, .weights = {1, 0.51}, .balance = true}, kCount);
  for (int i = 0; i < 200; ++i) job.step();
  EXPECT_TRUE(job.changes().empty());
  job.expectRight();
}

TEST(Balance, AMuchSlowerDeviceDoesNotSlowTheLaunchDown) {
  TimedJob job({.ranks = {{1e-8}, {1e-8}, {15e-8}}, .balance = true}, kCount);
  for (int i = 0; i < 60; ++i) job.step();
  EXPECT_EQ(job.lastShares()[2], 0);
  const double before = job.device(2).busySeconds();
  for (int i = 0; i < 20; ++i) job.step();
  EXPECT_EQ(job.device(2).busySeconds(), before);
  job.expectRight();
}

TEST(Balance, ADeviceThatWasTooSlowAtTheStartIsTriedAndComesBack) {
  TimedJob job({.ranks = {{1e-8}, {1e-8}}, .weights = {1, 0.08}, .balance = true, .trialSeconds = 1e-3}, kCount);
  job.step();
  ASSERT_EQ(job.lastShares()[1], 0);
  for (int i = 0; i < 400; ++i) job.step();
  EXPECT_NEAR(job.lastShares()[1], 0.5, 0.05);
  job.expectRight();
}

TEST(Balance, FollowsADeviceThatBecomesSlower) {
  TimedJob job({.ranks = {{1e-8}, {1e-8}}, .balance = true}, kCount);
  for (int i = 0; i < 60; ++i) job.step();
  EXPECT_TRUE(job.changes().empty());
  job.device(1).slowDown(4e-8);
  for (int i = 0; i < 200; ++i) job.step();
  EXPECT_NEAR(job.lastShares()[0], 0.8, 0.08);
  job.expectRight();
}

TEST(Balance, LoopsOverTheSameArraysAreCutAlike) {
  TimedJob job({.ranks = {{1e-8}, {3e-8}}, .balance = true}, kCount);
  for (int i = 0; i < 60; ++i) job.step();
  job.scale();
  EXPECT_NEAR(job.lastShares()[0], 0.75, 0.05) << "its first launch follows the weights of the other loop";
  for (int i = 0; i < 40; ++i) {
    job.step();
    job.scale();
  }
  const std::vector<double> scaled = job.lastShares();
  job.step();
  EXPECT_NEAR(job.lastShares()[0], scaled[0], 0.01);
  job.expectRight();
}

TEST(Balance, WithoutItNothingChanges) {
  TimedJob job({.ranks = {{1e-8}, {3e-8}}}, kCount);
  for (int i = 0; i < 100; ++i) job.step();
  EXPECT_NEAR(job.lastShares()[0], 0.5, 0.01);
  job.expectRight();
}

// Real devices: whatever they measure, ghost cells and results are right while weights change.
TEST(Balance, ResultsOfRealDevicesStayRightWhileWeightsChange) {
  TimedJob job({.ranks = {{0}, {0, 5e-9}, {1e-9}}, .weights = {1, 0.2, 0.5, 0.9}, .minShare = 0, .balance = true},
               kCount);
  for (int i = 0; i < 100; ++i) {
    job.step();
    if (i % 3 == 0) job.scale();
    if (i % 10 == 7) job.expectRight();
  }
  EXPECT_FALSE(job.changes().empty());
  job.expectRight();
}

}  // namespace
}  // namespace muster::test
