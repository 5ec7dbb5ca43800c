// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form of a kernel a trial chooses, and what it costs.
#include "stream/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "backends/opencl/inventory.h"
#include "kernels.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

constexpr double iterations = 1000;

// Launches of forms that take so many seconds each, none for one that does not build. How many of them were timed.
unsigned launch(Trial& trial, unsigned launches, const std::function<double(std::size_t form)>& secondsOf) {
  unsigned timed = 0;
  for (unsigned i = 0; i < launches; ++i) {
    const Trial::Launch next = trial.next();
    if (!next.isTimed) continue;
    ++timed;
    if (const double seconds = secondsOf(next.form); seconds > 0)
      trial.note(seconds / iterations, seconds);
    else
      trial.drop();
  }
  return timed;
}

unsigned launch(Trial& trial, unsigned launches, const std::vector<double>& seconds) {
  return launch(trial, launches, [&](std::size_t form) { return seconds.at(form); });
}

}  // namespace

TEST(Trial, BeginsSoonerAtAnotherPace) {
  const auto launchesBefore = [](const Pace& pace) {
    Trial trial(2, pace);
    unsigned launches = 0;
    for (; !trial.isMeasured() && launches < 10000; ++launches)
      if (const Trial::Launch next = trial.next(); next.isTimed) trial.note(1e-6, 1e-3);
    return launches;
  };
  EXPECT_GT(launchesBefore({0.1}), 2000U);
  EXPECT_LT(launchesBefore({0.1, 0.5, 1}), 250U);
}

TEST(Trial, ChoosesTheFastestForm) {
  Trial trial(3, {0.1});
  launch(trial, 20000, {2e-3, 3e-3, 1e-3});
  EXPECT_EQ(trial.chosen(), 2U);
  EXPECT_DOUBLE_EQ(trial.gain(), 2);
  EXPECT_EQ(trial.next().form, 2U);
  EXPECT_FALSE(trial.next().isTimed);
}

TEST(Trial, KeepsTheFirstFormWhereOthersAreHardlyFaster) {
  Trial trial(2, {0.1});
  launch(trial, 20000, {2e-3, 1.95e-3});
  EXPECT_EQ(trial.chosen(), 0U);
  EXPECT_DOUBLE_EQ(trial.gain(), 1);
}

// POCL compiles a part of a kernel then.
TEST(Trial, TheFirstLaunchOfAFormDoesNotCount) {
  Trial trial(2, {0.1});
  bool isFirst = true;
  launch(trial, 20000, [&](std::size_t form) { return form == 0 ? 2e-3 : std::exchange(isFirst, false) ? 1 : 1e-3; });
  EXPECT_EQ(trial.chosen(), 1U);
}

TEST(Trial, TimesNothingElseInShortPrograms) {
  Trial trial(2, {0.1});
  EXPECT_EQ(launch(trial, 500, {2e-3, 1e-3}), 1U);
  EXPECT_FALSE(trial.chosen());
}

TEST(Trial, LeavesShortLaunchesAlone) {
  Trial trial(2, {0.1});
  EXPECT_EQ(launch(trial, 100000, {2e-5, 1e-5}), 1U);
  EXPECT_EQ(trial.chosen(), 0U);
}

// Whatever the times are, builds and slower runs together are a twentieth of all at most.
TEST(Trial, CostsATwentiethOfTheTimeAtMost) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-4, -1), factor(0.2, 5);
  for (int round = 0; round < 300; ++round) {
    const double first = std::pow(10, exponent(random)), build = std::pow(10, exponent(random));
    std::vector<double> seconds = {first};
    for (std::size_t i = 1; i < 2 + round % 2U; ++i) seconds.push_back(first * factor(random));
    Trial trial(seconds.size(), {build});
    double all = 0, cost = 0;
    std::vector<bool> built(seconds.size());
    built[0] = true;
    for (int i = 0; i < 20000; ++i) {
      const Trial::Launch next = trial.next();
      all += seconds[next.form];
      cost += std::max(0.0, seconds[next.form] - first) + (built[next.form] ? 0 : build);
      built[next.form] = true;
      if (next.isTimed) trial.note(seconds[next.form] / iterations, seconds[next.form]);
      ASSERT_LE(cost, 0.05 * (all + cost)) << "launch " << i << " of " << first << " s, " << build << " s a build";
    }
    if (!trial.chosen()) continue;
    const double best = *std::ranges::min_element(seconds);
    EXPECT_LE(seconds[*trial.chosen()], best / 0.95 * 1.0001);
  }
}

TEST(Trial, GoesOnWithoutAFormThatDoesNotBuild) {
  Trial trial(3, {0.1});
  launch(trial, 20000, {2e-3, 0, 1e-3});
  EXPECT_EQ(trial.chosen(), 2U);
}

TEST(Trial, WithNoOtherFormLeftTheFirstOneRuns) {
  Trial trial(2, {0.1});
  launch(trial, 20000, {2e-3, 0});
  EXPECT_EQ(trial.chosen(), 0U);
}

// Launches of a kernel with a text for three taps, on a CPU, which is to run the one for any number until it is slower.
class Trials : public testing::Test {
 protected:
  static constexpr std::int64_t height = 1500, width = 1000, columns = 960;

  Trials() : inventory_("libOpenCL.so.1") {}
  void SetUp() override {
    if (inventory_.entries().empty()) GTEST_SKIP() << "no OpenCL here: " << inventory_.problem();
    options_.cacheDirectory = cache_.path();
    options_.buildSeconds = 0;
    options_.inform = [this](const std::string& text) { said_.push_back(text); };
  }

  // Until the device says which form is the fastest, `most` at most.
  void launchUntilKnown(int most, const KernelCode& code = window()) {
    auto opened = inventory_.open(0, options_);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    ComputeDevice& device = **opened;
    std::vector<int> x(height * width), y(x.size(), -7);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i % 97);
    const std::size_t bytes = x.size() * sizeof(int);
    const BufferId from = *device.allocate(bytes), to = *device.allocate(bytes);
    ASSERT_TRUE(device.write(from, 0, x.data(), bytes).ok());
    ASSERT_TRUE(device.write(to, 0, y.data(), bytes).ok());
    const std::vector<muster_dim> dims = {{0, 1, height}, {0, 1, columns}};
    const std::vector<ArrayArg> arrays = {{from, 0}, {to, 0}};
    const std::int32_t taps = 3;
    const std::vector<const void*> scalars = {&width, &taps};
    KernelLaunch launch;
    launch.code = &code;
    launch.dims = dims;
    launch.hi = height;
    launch.arrays = arrays;
    launch.scalars = scalars;
    for (int i = 0; i < most && (said_.empty() || said_.back().find("does not build") != std::string::npos); ++i) {
      const Result<Event> event = device.launch(launch);
      ASSERT_TRUE(event.ok()) << event.status().message();
      if (i % 64 == 0) ASSERT_TRUE(device.wait(*event).ok());
    }
    ASSERT_TRUE(device.read(to, 0, y.data(), bytes).ok());
    ASSERT_TRUE(device.finish().ok());
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j) {
        const auto at = static_cast<std::size_t>(i * width + j);
        ASSERT_EQ(y[at], j < columns ? x[at] + x[at + 1] + x[at + 2] : -7) << i << ", " << j;
      }
  }

  TestDirectory cache_;
  OpenClInventory inventory_;
  StreamOptions options_;
  std::vector<std::string> said_;
};

TEST_F(Trials, AreToldOnceAndKept) {
  launchUntilKnown(20000);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("kernel window"), std::string::npos) << said_[0];
  EXPECT_NE(said_[0].find("an iteration a work-item"), std::string::npos) << said_[0];
  said_.clear();
  launchUntilKnown(500);
  EXPECT_TRUE(said_.empty()) << said_[0];
}

TEST_F(Trials, GoOnWithoutWhatTheDriverRefuses) {
  KernelCode code = window();
  code.id += 1;
  code.opencl = "#ifdef MUSTER_VALUE_1\n#error no such form\n#endif\n" + code.opencl;
  launchUntilKnown(20000, code);
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_NE(said_[0].find("no such form"), std::string::npos) << said_[0];
  EXPECT_NE(said_[1].find("as before"), std::string::npos) << said_[1];
}

TEST_F(Trials, AreForLongRuns) {
  options_.buildSeconds = 100;
  launchUntilKnown(500);
  EXPECT_TRUE(said_.empty()) << said_[0];
}

TEST_F(Trials, AreNotForThoseWhoChose) {
  for (const KernelForms forms : {KernelForms::first, KernelForms::plain}) {
    options_.kernels = forms;
    launchUntilKnown(500);
    EXPECT_TRUE(said_.empty()) << said_[0];
  }
}

}  // namespace muster::cdm::test
