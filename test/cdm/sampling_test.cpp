// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches get an event.
#include "stream/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace muster::cdm::test {

namespace {

constexpr std::uint64_t kernel = 17;

int chosenOf(LaunchSampler& sampler, int launches) {
  int chosen = 0;
  for (int i = 0; i < launches; ++i) chosen += sampler.choose(kernel) ? 1 : 0;
  return chosen;
}

TEST(LaunchSampler, WhereAllAreTimedEachHasAnEvent) {
  LaunchSampler sampler(Timings::all);
  EXPECT_EQ(chosenOf(sampler, 100), 100);
}

TEST(LaunchSampler, WithoutTimesOneOfEightHasAnEvent) {
  LaunchSampler sampler(Timings::off);
  EXPECT_EQ(chosenOf(sampler, 80), 10);
}

TEST(LaunchSampler, ShortKernelsAreSampledOnceTheyAreKnown) {
  LaunchSampler sampler(Timings::samples);
  EXPECT_EQ(chosenOf(sampler, 20), 20);
  sampler.noteDuration(kernel, 10'000);
  EXPECT_EQ(chosenOf(sampler, 20), 20);  // the first launch is no measure
  sampler.noteDuration(kernel, 10'000);
  EXPECT_EQ(chosenOf(sampler, 80), 10);
}

TEST(LaunchSampler, LongKernelsAreTimedEachTime) {
  LaunchSampler sampler(Timings::samples);
  for (int i = 0; i < 3; ++i) sampler.noteDuration(kernel, LaunchSampler::shortNs);
  EXPECT_EQ(chosenOf(sampler, 80), 80);
  sampler.noteDuration(kernel, LaunchSampler::shortNs - 1);
  EXPECT_EQ(chosenOf(sampler, 80), 10);
}

// With one counter for all, one of two kernels in turn would never be seen.
TEST(LaunchSampler, KernelsInTurnAreAllSampled) {
  for (std::uint64_t kernels = 1; kernels <= 40; ++kernels) {
    LaunchSampler sampler(Timings::samples);
    for (std::uint64_t k = 0; k < kernels; ++k)
      for (int i = 0; i < 2; ++i) sampler.noteDuration(k, 10'000);
    std::array<int, 40> chosen{};
    unsigned without = 0, longest = 0;
    for (int round = 0; round < 80; ++round)
      for (std::uint64_t k = 0; k < kernels; ++k) {
        const bool one = sampler.choose(k);
        chosen[k] += one ? 1 : 0;
        without = one ? 0 : without + 1;
        longest = std::max(longest, without);
      }
    for (std::uint64_t k = 0; k < kernels; ++k) EXPECT_GE(chosen[k], 10) << k << " of " << kernels;
    EXPECT_LT(longest, 2 * LaunchSampler::every);  // whoever waits does not wait for long
  }
}

// Of a kernel that is launched with several sizes in turn, each size is seen, whatever eight is a multiple of.
TEST(LaunchSampler, SizesInTurnAreAllSampled) {
  for (std::size_t sizes = 1; sizes <= 8; ++sizes) {
    LaunchSampler sampler(Timings::samples);
    std::array<int, 8> chosen{};
    for (int round = 0; round < 80; ++round) {
      for (std::size_t size = 0; size < sizes; ++size) {
        const std::uint64_t group = LaunchSampler::groupOf(kernel, static_cast<double>(10 << 2 * size));
        if (!sampler.choose(group)) continue;
        ++chosen[size];
        sampler.noteDuration(group, size == 7 ? 1'000'000 : 10'000);
      }
    }
    for (std::size_t size = 0; size < sizes; ++size)
      EXPECT_GE(chosen[size], size == 7 ? 80 : 10) << size << " of " << sizes;
  }
}

TEST(LaunchSampler, AboutTheSameSizeIsTheSameGroup) {
  EXPECT_EQ(LaunchSampler::groupOf(kernel, 1100), LaunchSampler::groupOf(kernel, 2000));
  EXPECT_NE(LaunchSampler::groupOf(kernel, 1100), LaunchSampler::groupOf(kernel, 4400));
  EXPECT_NE(LaunchSampler::groupOf(kernel, 1100), LaunchSampler::groupOf(kernel + 1, 1100));
  EXPECT_EQ(LaunchSampler::groupOf(kernel, 0), LaunchSampler::groupOf(kernel, 1));
}

TEST(LaunchSampler, WhereEventsAreMissedOftenTheyAreGiven) {
  LaunchSampler sampler(Timings::off);
  EXPECT_EQ(chosenOf(sampler, 30), 3);
  sampler.noteMissing();  // for the first time in a while
  EXPECT_EQ(chosenOf(sampler, 1), 0);
  sampler.noteMissing();
  EXPECT_EQ(chosenOf(sampler, 64), 64);
  EXPECT_EQ(chosenOf(sampler, 80), 10);
}

// As LULESH, which frees temporaries: a marker now and then is cheaper than times of each launch.
TEST(LaunchSampler, WhereTimesAreKeptMissedEventsChangeNothing) {
  LaunchSampler sampler(Timings::samples);
  for (int i = 0; i < 2; ++i) sampler.noteDuration(kernel, 10'000);
  int chosen = 0;
  for (int i = 0; i < 10; ++i) {
    chosen += chosenOf(sampler, 8);
    sampler.noteMissing();
  }
  EXPECT_EQ(chosen, 10);
}

}  // namespace

}  // namespace muster::cdm::test
