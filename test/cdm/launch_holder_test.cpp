// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches wait for those behind them.
#include "stream/launch_holder.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::cdm::test {

namespace {

const char kernels[128] = {};

// What becomes of launches of these kernels, one letter each: '1' starts at once, 'w' waits; '|': those before start.
std::string fateOf(LaunchHolder& holder, int launches, int cycle) {
  std::string fate;
  for (int i = 0; i < launches; ++i) {
    const void* kernel = kernels + i % cycle;
    if (holder.endsBefore(kernel)) {
      holder.starts();
      fate += '|';
    }
    fate += holder.takes(kernel) ? 'w' : '1';
    if (holder.held() == LaunchHolder::most) {
      holder.starts();
      fate += '|';
    }
  }
  return fate;
}

std::string fateOf(int launches, int cycle) {
  LaunchHolder holder;
  return fateOf(holder, launches, cycle);
}

const std::string first(7, '1');
std::string waiting(int count) { return std::string(static_cast<std::size_t>(count), 'w'); }

}  // namespace

TEST(LaunchHolder, ShortRunsStartAtOnce) {
  LaunchHolder holder;
  for (int run = 0; run < 10; ++run) {
    EXPECT_EQ(fateOf(holder, 7, 3), first);
    holder.endRun();
  }
}

TEST(LaunchHolder, LaunchesOfOneKernelGatherInEqualParts) {
  EXPECT_EQ(fateOf(7 + 40, 1), first + waiting(16) + "|" + waiting(16) + "|" + waiting(8));
}

TEST(LaunchHolder, ShortCyclesGatherUntilOneBegins) {
  EXPECT_EQ(fateOf(7 + 40, 5), first + waiting(20) + "|" + waiting(20));
}

TEST(LaunchHolder, LongCyclesHaveAPartThatEndsWithThem) {
  EXPECT_EQ(fateOf(7 + 80, 40), first + waiting(32) + "|" + waiting(8) + "|" + waiting(32) + "|" + waiting(8));
}

TEST(LaunchHolder, WhatComesBetweenEndsARun) {
  LaunchHolder holder;
  EXPECT_EQ(fateOf(holder, 10, 1), first + "www");
  holder.starts();
  holder.endRun();
  EXPECT_EQ(holder.held(), 0u);
  EXPECT_EQ(fateOf(holder, 10, 1), first + "www");
}

// As launches that are timed do.
TEST(LaunchHolder, LaunchThatStartsAtOnceIsPartOfTheRun) {
  LaunchHolder holder;
  EXPECT_EQ(fateOf(holder, 9, 4), first + "ww");
  holder.starts();
  EXPECT_TRUE(holder.takes(kernels));
}

TEST(LaunchHolder, AfterWaitingInVainMoreOfARunStartAtOnce) {
  LaunchHolder holder;
  for (const std::size_t atOnce : {7, 14, 28}) {
    EXPECT_EQ(fateOf(holder, 30, 64).find('w'), atOnce);
    holder.startsInVain();
  }
  EXPECT_EQ(fateOf(holder, 30, 64).find('w'), std::string::npos);
  // A long run waits nevertheless, and then others do as ever.
  EXPECT_EQ(fateOf(holder, 60, 64).find('w'), 26u);
  holder.starts();
  holder.endRun();
  EXPECT_EQ(fateOf(holder, 30, 64).find('w'), 7u);
}

}  // namespace muster::cdm::test
