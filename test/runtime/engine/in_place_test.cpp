// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in place, of a program whose times are given.
#include "tuner/in_place/in_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace muster::rt {
namespace {

class InPlaceTest : public ::testing::Test {
 protected:
  InPlaceTest() {
    kernel_.id = 7;
    kernel_.n_dims = 1;
    launch_.kernel = &kernel_;
    launch_.dims = &dim_;
    dim_.count = 1000;
  }

  // True: it ran in place.
  bool launch(double inPlaceSeconds, double everywhereSeconds) {
    return launchOf(inPlace_, inPlaceSeconds, everywhereSeconds);
  }
  bool launchOf(InPlace& inPlace, double inPlaceSeconds, double everywhereSeconds) {
    const InPlace::Launch own(&inPlace, launch_, true);
    now_ += own.runsInPlace() ? inPlaceSeconds : everywhereSeconds;
    return own.runsInPlace();
  }
  [[nodiscard]] std::string calls() {
    std::string all;
    for (const std::string& call : calls_) all += call + " ";
    calls_.clear();
    return all;
  }

  double now_ = 1;
  bool fits_ = true, hasDevices_ = true;
  double builds_ = 0, most_ = 0;  // seconds that kernels take, and that they may take
  std::vector<std::string> calls_;
  std::uint64_t first_ = 0;
  RunHistory history_;
  int remembered_ = 0;
  UnbuiltLoops unbuilt_;
  muster_kernel kernel_{};
  muster_dim dim_{};
  muster_launch launch_{};
  const InPlace::Hooks hooks_{
      .seconds = [this] { return now_; },
      .waited = [] { return 0.0; },
      .trialCost = [](std::size_t unbuilt) { return TrialCost{0.001, 0.001 * static_cast<double>(unbuilt)}; },
      .fits = [this] { return fits_; },
      .openDevices =
          [this] {
            calls_.emplace_back("open");
            return hasDevices_;
          },
      .finishDevices = [this] { calls_.emplace_back("finish"); },
      .fetchEverything = [this] { calls_.emplace_back("fetch"); },
      .note =
          [this](const muster_kernel& /*last*/, PlainGuard::Advice advice, std::string_view /*why*/,
                 double /*seconds*/) {
            calls_.emplace_back(advice == PlainGuard::Advice::goBack   ? "back"
                                : advice == PlainGuard::Advice::build  ? "build"
                                : advice == PlainGuard::Advice::tryAll ? "try"
                                : advice == PlainGuard::Advice::useAll ? "use"
                                                                       : "keep");
          },
      .build =
          [this](const UnbuiltLoops& unbuilt, double most) {
            unbuilt_ = unbuilt;
            most_ = most;
            now_ += std::min(builds_, most);
            return builds_ <= most ? std::vector<const muster_kernel*>{&kernel_} : std::vector<const muster_kernel*>();
          },
      .recall =
          [this](std::uint64_t first) {
            first_ = first;
            return history_;
          },
      .remember =
          [this](std::uint64_t first, const RunHistory& history) {
            EXPECT_EQ(first, first_);
            history_ = history;
            ++remembered_;
          }};
  InPlace inPlace_{hooks_};
};

TEST_F(InPlaceTest, FetchesEverythingBeforeItGoesBack) {
  EXPECT_TRUE(launch(0.01, 0.1));
  for (int i = 0; i < 5; ++i) launch(0.01, 0.1);
  const std::string said = calls();
  EXPECT_EQ(said.substr(0, 15), "build open try ");
  EXPECT_EQ(unbuilt_, (UnbuiltLoops{{&kernel_, 1000}}));
  EXPECT_EQ(said.substr(said.size() - std::string("finish fetch back ").size()), "finish fetch back ");
  EXPECT_TRUE(launch(0.01, 0.1));
}

TEST_F(InPlaceTest, WaitsForKernelsLongerTheNextTime) {
  builds_ = 0.0012;
  while (calls_.empty()) EXPECT_TRUE(launch(0.01, 0.001));
  EXPECT_EQ(calls(), "build ");
  EXPECT_EQ(most_, 0.001);
  for (int i = 0; i < 20; ++i) launch(0.01, 0.001);
  EXPECT_GE(most_, 0.00125);
  EXPECT_EQ(calls().substr(0, 15), "build open try ");
  EXPECT_FALSE(launch(0.01, 0.001));
}

TEST_F(InPlaceTest, KernelsOfEarlierRunsAreNotBuiltAgain) {
  builds_ = 1;
  while (calls_.empty()) launch(0.01, 0.001);
  inPlace_.end();
  inPlace_.remember();
  EXPECT_FALSE(history_.loops.at(0).isBuilt);
  EXPECT_EQ(history_.notEnough, 0.001);
  builds_ = 0.00125;
  InPlace next(hooks_);
  calls_.clear();
  while (calls_.empty()) launchOf(next, 0.01, 0.001);
  EXPECT_EQ(most_, 0.00125);
  launchOf(next, 0.01, 0.001);
  next.end();
  next.remember();
  EXPECT_TRUE(history_.loops.at(0).isBuilt);
  EXPECT_EQ(history_.notEnough, 0);
  InPlace last(hooks_);
  calls_.clear();
  while (calls_.empty()) launchOf(last, 0.01, 0.001);
  EXPECT_EQ(calls().substr(0, 5), "open ");
}

TEST_F(InPlaceTest, StaysEverywhereWhereThatIsFaster) {
  for (int i = 0; i < 50; ++i) launch(0.01, 0.001);
  EXPECT_FALSE(launch(0.01, 0.001));
  const std::string said = calls();
  EXPECT_EQ(said.substr(said.size() - 5), "keep ");
  EXPECT_EQ(said.find("fetch"), std::string::npos);
}

TEST_F(InPlaceTest, BeginsEverywhereWhereEarlierRunsWereFasterThere) {
  launch(0.01, 0.001);
  history_.loops = {{first_, 0.01, 0.001, 1000, 0.01, 0.01, true}};
  InPlace next(hooks_);
  calls_.clear();
  EXPECT_TRUE(launchOf(next, 0.01, 0.001));
  EXPECT_EQ(calls(), "open use ");
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(launchOf(next, 0.01, 0.001));
  next.end();
  next.remember();
  EXPECT_EQ(remembered_, 1);
  ASSERT_EQ(history_.loops.size(), 1U);
  EXPECT_NEAR(history_.loops[0].everywhere, 0.001, 1e-4);
  EXPECT_EQ(history_.loops[0].launches, 51);
  next.remember();
  EXPECT_EQ(remembered_, 1);
}

TEST_F(InPlaceTest, DecidesNothingInsideOfALaunch) {
  const InPlace::Launch outer(&inPlace_, launch_, true);
  ASSERT_TRUE(outer.runsInPlace());
  for (int i = 0; i < 50; ++i) {
    const InPlace::Launch inner(&inPlace_, launch_, true);
    now_ += 0.01;
    EXPECT_TRUE(inner.runsInPlace());
  }
  EXPECT_TRUE(calls_.empty());
}

// What prepares a launch has asked where it runs.
TEST_F(InPlaceTest, TheNextLaunchRunsWhereItSays) {
  for (int i = 0; i < 100; ++i) {
    const bool said = inPlace_.isHere();
    EXPECT_EQ(launch(0.01, i % 20 < 10 ? 0.1 : 0.001), said);
  }
}

TEST_F(InPlaceTest, SizesThatChangeComeAgain) {
  for (int i = 0; i < 200; ++i) {
    dim_.count = 100000 - i;
    launch(0.01, 0.001);
  }
  EXPECT_FALSE(launch(0.01, 0.001));
}

TEST_F(InPlaceTest, ArraysThatAreTooLargeForOneHostNeverRunInPlace) {
  EXPECT_TRUE(launch(0.01, 0.001));
  fits_ = false;
  EXPECT_TRUE(launch(0.01, 0.001));
  fits_ = true;
  EXPECT_FALSE(launch(0.01, 0.001));
  EXPECT_EQ(calls(), "open try ");
}

TEST_F(InPlaceTest, WithoutOtherDevicesItStays) {
  hasDevices_ = false;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(launch(0.01, 0.001));
  EXPECT_EQ(calls(), "build open ");
  inPlace_.end();
  inPlace_.remember();
  EXPECT_GT(history_.lostAt, 0);
}

TEST_F(InPlaceTest, ThePlaceStaysWhereSeveralThreadsLaunch) {
  launch(0.01, 0.001);
  std::thread([&] { EXPECT_TRUE(launch(0.01, 0.001)); }).join();
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(launch(0.01, 0.001));
  EXPECT_TRUE(calls_.empty());
  EXPECT_FALSE(inPlace_.mayLeave());
}

TEST_F(InPlaceTest, NothingChangesOnceTheProgramEnds) {
  launch(0.01, 0.001);
  inPlace_.end();
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(launch(0.01, 0.001));
  EXPECT_TRUE(calls_.empty());
}

TEST_F(InPlaceTest, WithoutOneNothingRunsInPlace) {
  const InPlace::Launch own(nullptr, launch_, true);
  EXPECT_FALSE(own.runsInPlace());
}

}  // namespace
}  // namespace muster::rt
