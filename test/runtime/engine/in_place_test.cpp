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
    dim_.count = 2000;
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
  double builds_ = 0;  // seconds that kernels take
  double since_ = -1;  // that they are built; negative: they are not
  std::vector<std::string> calls_;
  std::uint64_t first_ = 0;
  RunHistory history_, runHistory_;
  int remembered_ = 0;
  UnbuiltLoops unbuilt_;
  muster_kernel kernel_{};
  muster_dim dim_{};
  muster_launch launch_{};
  const InPlace::Hooks hooks_{
      .seconds = [this] { return now_; },
      .waited = [] { return 0.0; },
      .trialCost =
          [](std::size_t unbuilt) { return TrialCost{0.001, 0.001 * static_cast<double>(unbuilt), 0.1, 0.001}; },
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
            calls_.emplace_back(advice == PlainGuard::Advice::goBack         ? "back"
                                : advice == PlainGuard::Advice::build        ? "build"
                                : advice == PlainGuard::Advice::stopBuilding ? "stop"
                                : advice == PlainGuard::Advice::tryAll       ? "try"
                                : advice == PlainGuard::Advice::useAll       ? "use"
                                                                             : "keep");
          },
      .noteRun = [this](const WholeRuns& /*runs*/) { calls_.emplace_back("run"); },
      .build =
          [this](const UnbuiltLoops& unbuilt) {
            unbuilt_ = unbuilt;
            if (since_ < 0) since_ = now_;
            return now_ - since_ < builds_ ? KernelBuilder::Progress{{}, true}
                                           : KernelBuilder::Progress{{kernel_.id}, false};
          },
      .stopBuilding = [this] { since_ = -1; },
      .openSeconds = [] { return 0.1; },
      .recallRun =
          [this](std::uint64_t run) {
            EXPECT_EQ(run, 77u);
            return runHistory_;
          },
      .rememberRun =
          [this](std::uint64_t run, const RunHistory& history) {
            EXPECT_EQ(run, 77u);
            runHistory_ = history;
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
  EXPECT_EQ(unbuilt_, (UnbuiltLoops{{&kernel_, {2000, {}}}}));
  EXPECT_EQ(said.substr(said.size() - std::string("finish fetch back ").size()), "finish fetch back ");
  EXPECT_TRUE(launch(0.01, 0.1));
}

TEST_F(InPlaceTest, RunsInPlaceWhileKernelsAreBuilt) {
  builds_ = 0.1;
  while (calls_.empty()) EXPECT_TRUE(launch(0.01, 0.001));
  EXPECT_EQ(calls(), "build ");
  for (int i = 0; i < 9; ++i) {
    EXPECT_TRUE(inPlace_.builds());
    EXPECT_TRUE(launch(0.01, 0.001));
  }
  for (int i = 0; i < 3; ++i) launch(0.01, 0.001);
  EXPECT_FALSE(inPlace_.builds());
  EXPECT_EQ(calls().substr(0, 9), "open try ");
}

TEST_F(InPlaceTest, NothingIsBuiltBesideWhatRunsEverywhere) {
  builds_ = 100;
  while (calls_.empty()) launch(0.01, 0.001);
  launch(0.01, 0.001);
  EXPECT_TRUE(inPlace_.builds());
  fits_ = false;
  launch(0.01, 0.001);
  EXPECT_FALSE(launch(0.01, 0.001));
  EXPECT_FALSE(inPlace_.builds());
}

TEST_F(InPlaceTest, ABuilderEndsWithTheProgram) {
  builds_ = 100;
  while (calls_.empty()) launch(0.01, 0.001);
  launch(0.01, 0.001);
  EXPECT_GT(since_, 0);
  inPlace_.end();
  EXPECT_EQ(since_, -1);
  EXPECT_FALSE(inPlace_.builds());
}

TEST_F(InPlaceTest, ABuilderEndsWhereSeveralThreadsLaunch) {
  builds_ = 100;
  while (calls_.empty()) launch(0.01, 0.001);
  std::thread([&] { launch(0.01, 0.001); }).join();
  EXPECT_EQ(since_, -1);
}

// A run in which no kernel was built is followed by runs that leave it more time, or none.
TEST_F(InPlaceTest, KernelsOfEarlierRunsAreNotBuiltAgain) {
  builds_ = 1;
  while (calls_.empty()) launch(0.01, 0.001);
  for (int i = 0; i < 5; ++i) launch(0.01, 0.001);
  inPlace_.end();
  inPlace_.remember(0);
  EXPECT_FALSE(history_.loops.at(0).isBuilt);
  EXPECT_NEAR(history_.notEnough, 0.06, 0.011);
  history_.loops.at(0).launches = 5;
  InPlace shortOne(hooks_);
  calls_.clear();
  for (int i = 0; i < 5; ++i) launchOf(shortOne, 0.01, 0.001);
  EXPECT_TRUE(calls_.empty());
  shortOne.end();
  shortOne.remember(0);
  EXPECT_NEAR(history_.notEnough, 0.06, 0.011);
  builds_ = 0.03;
  history_.loops.at(0).launches = 2000;
  InPlace next(hooks_);
  while (calls_.empty()) launchOf(next, 0.01, 0.001);
  EXPECT_EQ(calls(), "build ");
  for (int i = 0; i < 5; ++i) launchOf(next, 0.01, 0.001);
  next.end();
  next.remember(0);
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
  history_.loops = {{first_, 0.01, 0.001, 2000, 0.01, 0.01, true}};
  InPlace next(hooks_);
  calls_.clear();
  EXPECT_TRUE(launchOf(next, 0.01, 0.001));
  EXPECT_EQ(calls(), "open use ");
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(launchOf(next, 0.01, 0.001));
  next.end();
  next.remember(0);
  EXPECT_EQ(remembered_, 1);
  ASSERT_EQ(history_.loops.size(), 1U);
  EXPECT_NEAR(history_.loops[0].everywhere, 0.001, 1e-4);
  EXPECT_EQ(history_.loops[0].launches, 51);
  next.remember(0);
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
  inPlace_.remember(0);
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

// Two threads launch at once, for nearly all of the run.
TEST_F(InPlaceTest, RunsOfThreadsThatLaunchAtOnceAreKnownAsAWhole) {
  const auto run = [&](double seconds, bool threadsLaunch = true, bool ends = true) {
    calls_.clear();
    now_ = 0;
    InPlace inPlace(hooks_);
    inPlace.beginRun(77);
    const bool wasInPlace = inPlace.isHere();
    {
      const InPlace::Launch one(&inPlace, launch_, false);
      const InPlace::Launch another(&inPlace, launch_, false);
      now_ += seconds;
    }
    inPlace.end();
    if (ends) inPlace.remember(0, threadsLaunch);
    return wasInPlace;
  };
  EXPECT_TRUE(run(2));
  EXPECT_EQ(runHistory_.loops.front().inPlace, 2);
  EXPECT_FALSE(run(1));
  EXPECT_EQ(calls(), "open run ");
  EXPECT_EQ(runHistory_.loops.front().everywhere, 1);
  EXPECT_FALSE(run(3));  // as long as the machine is busy
  EXPECT_TRUE(run(2));

  const auto forget = [&] { runHistory_ = {}; };
  forget();
  hasDevices_ = false;
  EXPECT_TRUE(run(2));
  EXPECT_TRUE(run(2));
  EXPECT_EQ(calls(), "open ");
  EXPECT_TRUE(run(2));
  EXPECT_EQ(calls(), "") << "it is known that there are none";
  hasDevices_ = true;

  forget();
  EXPECT_TRUE(run(2));
  EXPECT_FALSE(run(2, true, false)) << "which crashes";
  EXPECT_TRUE(run(2));

  forget();
  EXPECT_TRUE(run(2));
  EXPECT_FALSE(run(1, false)) << "whose threads do not launch at once";
  EXPECT_TRUE(run(2));
}

TEST_F(InPlaceTest, RunsOfOtherLoopsAreNotKnownAsAWhole) {
  inPlace_.beginRun(77);
  {
    const InPlace::Launch one(&inPlace_, launch_, false);
    const InPlace::Launch another(&inPlace_, launch_, false);
    now_ += 0.1;
  }
  now_ += 1;  // few of them
  inPlace_.end();
  inPlace_.remember(0);
  EXPECT_TRUE(runHistory_.loops.empty());

  InPlace other(hooks_);
  now_ = 0;
  other.beginRun(77);
  {
    const InPlace::Launch outer(&other, launch_, true);  // whose threads launch loops inside
    const InPlace::Launch one(&other, launch_, false);
    const InPlace::Launch another(&other, launch_, false);
    now_ += 10;
  }
  other.end();
  other.remember(0);
  EXPECT_TRUE(runHistory_.loops.empty());
}

TEST_F(InPlaceTest, WithoutOneNothingRunsInPlace) {
  const InPlace::Launch own(nullptr, launch_, true);
  EXPECT_FALSE(own.runsInPlace());
}

}  // namespace
}  // namespace muster::rt
