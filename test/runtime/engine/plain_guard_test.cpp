// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The guard with programs whose times are given.
#include "tuner/plain_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace muster::rt {
namespace {

using Advice = PlainGuard::Advice;
using Place = PlainGuard::Place;

struct ModelLoop {
  std::uint64_t id = 0;
  double inPlace = 0, everywhere = 0;  // seconds of a launch, and of what the program does behind it
};

// Runs launches one after the other; moves between the places cost time.
class Program {
 public:
  explicit Program(double moving) : moving_(moving) {}

  void launch(const ModelLoop& loop) {
    Advice advice = guard_.beforeLaunch(loop.id, now, [this] { return 2 * moving_; });
    if (advice == Advice::drain) {
      ++drains;
      now += std::exchange(queued_, 0);
      advice = guard_.afterDrain(now);
    }
    const double takes = guard_.place() == Place::inPlace ? loop.inPlace : loop.everywhere + firstOf(loop);
    (lazy && guard_.place() != Place::inPlace ? queued_ : now) += takes;
    if (queued_ > kQueue) now += std::exchange(queued_, 0);
    if (guard_.place() == Place::inPlace) ++launchesInPlace;
    if (advice == Advice::stay) return;
    now += std::exchange(queued_, 0);
    steps.emplace_back(advice);
    const bool back = advice == Advice::goBack;
    const double began = now;
    if (advice != Advice::keepAll) now += back ? moving_ : std::max(moving_, wayThere);
    guard_.moved(back ? Place::inPlace : advice == Advice::tryAll ? Place::trial : Place::everywhere, began);
  }
  void run(const std::vector<ModelLoop>& period, int times) {
    for (int t = 0; t < times; ++t) {
      for (const ModelLoop& loop : period) launch(loop);
    }
  }
  void learn(const RunHistory& history) { guard_.learn(history); }
  [[nodiscard]] RunHistory history() const { return guard_.history(); }
  [[nodiscard]] Place place() const { return guard_.place(); }
  [[nodiscard]] std::string reason() const { return std::string(guard_.reason()); }

  double now = 0;
  bool lazy = false;        // launches on devices are queued
  double firstSeconds = 0;  // what a kernel takes to build
  double wayThere = 0;      // where it takes longer than is thought
  int drains = 0, launchesInPlace = 0;
  std::vector<Advice> steps;

 private:
  static constexpr double kQueue = 0.01;
  double firstOf(const ModelLoop& loop) {
    if (std::find(built_.begin(), built_.end(), loop.id) != built_.end()) return 0;
    built_.push_back(loop.id);
    return firstSeconds;
  }
  PlainGuard guard_;
  double moving_, queued_ = 0;
  std::vector<std::uint64_t> built_;
};

std::vector<ModelLoop> periodOf(int launches, double inPlace, double everywhere, std::uint64_t first = 0) {
  std::vector<ModelLoop> period;
  for (int i = 0; i < launches; ++i) period.push_back({first + static_cast<std::uint64_t>(i), inPlace, everywhere});
  return period;
}

TEST(PlainGuard, LongLaunchesAreTriedAtOnce) {
  Program heat(0.05);
  heat.now = 1;  // its own beginning
  heat.run(periodOf(1, 0.17, 0.002), 300);
  EXPECT_EQ(heat.place(), Place::everywhere);
  EXPECT_LE(heat.launchesInPlace, 5);
  EXPECT_LT(heat.now, 1 + 2.0);  // 0.65 is the least, 51 in place
}

// As LULESH: a few long launches take most of the time, most launches are short.
TEST(PlainGuard, FewLongLaunchesPromiseAGainAsWell) {
  std::vector<ModelLoop> period = periodOf(10, 0.004, 0.0004);
  for (const ModelLoop& loop : periodOf(400, 0.00005, 0.00003, 100)) period.push_back(loop);
  Program lulesh(0.2);
  lulesh.run(period, 100);
  EXPECT_EQ(lulesh.place(), Place::everywhere);
  EXPECT_LT(lulesh.now, 4.2);  // 6 in place, 1.6 everywhere
}

// As multigrid: a period is a twentieth of the run, and devices are eight times as slow.
TEST(PlainGuard, ALostTrialCostsLittleOfAShortRun) {
  Program multigrid(0.03);
  multigrid.run(periodOf(300, 0.0004, 0.0032), 20);
  EXPECT_EQ(multigrid.place(), Place::inPlace);
  EXPECT_LT(multigrid.now, 1.1 * 300 * 0.0004 * 20);
  EXPECT_FALSE(multigrid.steps.empty());
}

TEST(PlainGuard, LostTrialsCostATwentieth) {
  for (const double slower : {1.05, 1.5, 3.0, 30.0}) {
    for (const double moving : {0.0001, 0.01, 0.3}) {
      for (const bool lazy : {false, true}) {
        Program program(moving);
        program.lazy = lazy;
        program.firstSeconds = 0.002;
        program.run(periodOf(100, 0.0001, 0.0001 * slower), 1000);
        EXPECT_EQ(program.place(), Place::inPlace) << slower << " " << moving << " " << lazy;
        EXPECT_LT(program.now, 1.07 * 10) << slower << " " << moving << " " << lazy;
      }
    }
  }
}

TEST(PlainGuard, ShortLaunchesThatWinAreFound) {
  for (const bool lazy : {false, true}) {
    Program program(0.02);
    program.lazy = lazy;
    program.firstSeconds = 0.005;
    program.run(periodOf(20, 0.0003, 0.0001), 1000);
    EXPECT_EQ(program.place(), Place::everywhere) << program.reason();
    EXPECT_LT(program.now, 0.7 * 6);
  }
}

TEST(PlainGuard, APauseIsNotWhatALoopIsWorth) {
  Program program(0.001);
  const std::vector<ModelLoop> period = periodOf(5, 0.001, 0.0015);
  program.run(period, 2);
  program.launch(period[0]);
  program.now += 5;  // the program reads a file
  for (std::size_t i = 1; i < period.size(); ++i) program.launch(period[i]);
  program.run(period, 1000);
  EXPECT_EQ(program.place(), Place::inPlace);
  EXPECT_LT(program.now, 1.08 * (5 + 5));
}

TEST(PlainGuard, GoesBackWhereDevicesBecomeSlower) {
  Program program(0.001);
  program.run(periodOf(5, 0.001, 0.0002), 1000);
  ASSERT_EQ(program.place(), Place::everywhere);
  const double before = program.now;
  program.run(periodOf(5, 0.001, 0.003), 1000);  // the host looks at each result now
  EXPECT_EQ(program.place(), Place::inPlace);
  EXPECT_EQ(program.steps[2], Advice::goBack);  // after tryAll and keepAll
  EXPECT_LT(program.now - before, 1.3 * 5);
}

TEST(PlainGuard, OtherLoopsAreMeasuredInPlace) {
  Program program(0.001);
  program.run(periodOf(5, 0.001, 0.0002), 2000);
  ASSERT_EQ(program.place(), Place::everywhere);
  const double before = program.now;
  program.run(periodOf(5, 0.001, 0.004, 100), 2000);
  EXPECT_EQ(program.place(), Place::inPlace);
  EXPECT_LT(program.now - before, 1.2 * 10);
  program.run(periodOf(5, 0.001, 0.0001, 200), 200000);
  EXPECT_EQ(program.place(), Place::everywhere);
}

TEST(PlainGuard, ProgramsWithoutAPeriodStayWhereTheyAre) {
  Program program(0.0001);
  for (std::uint64_t i = 0; i < 5000; ++i) program.launch({i, 0.001, 0.0001});
  EXPECT_TRUE(program.steps.empty());
}

TEST(PlainGuard, DrainsAreRare) {
  Program program(0.001);
  program.run(periodOf(10, 0.0001, 0.00005), 100000);
  EXPECT_LT(program.drains, 100);
}

// A run of a program after others.
struct OneRun {
  double seconds = 0;
  std::vector<Advice> steps;
  int launchesInPlace = 0;
};
OneRun runAfter(RunHistory& history, double moving, const std::vector<ModelLoop>& period, int times) {
  Program program(moving);
  program.learn(history);
  program.run(period, times);
  history = program.history();
  return {program.now, program.steps, program.launchesInPlace};
}

TEST(PlainGuard, ShortRunsAddUpUntilTheyPayATrial) {
  const auto period = periodOf(100, 0.0003, 0.00001);
  RunHistory history;
  int runs = 0;
  while (runAfter(history, 0.5, period, 100).steps.empty() && ++runs < 100) {
  }
  EXPECT_GT(runs, 5);   // a trial takes a third of a run
  EXPECT_LT(runs, 30);  // 5 % of three seconds each
  EXPECT_EQ(history.untried, 0);
}

// A quarter of the time of runs that promise a gain.
TEST(PlainGuard, LongLaunchesAreTriedInOneOfTheFirstRuns) {
  const auto period = periodOf(1, 0.03, 0.001);
  RunHistory history;
  int runs = 0;
  while (runAfter(history, 0.5, period, 100).steps.empty() && ++runs < 100) {
  }
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(history.untried, 0);
  // From now on at once.
  for (int i = 0; i < 3; ++i) {
    const OneRun next = runAfter(history, 0.5, period, 100);
    EXPECT_EQ(next.launchesInPlace, 1);
    ASSERT_EQ(next.steps.size(), 1U);
    EXPECT_EQ(next.steps[0], Advice::useAll);
    EXPECT_LT(next.seconds, 0.8);
  }
}

TEST(PlainGuard, LostTrialsOfManyShortRunsCostATwentieth) {
  for (const double slower : {1.2, 5.0}) {
    for (const double moving : {0.01, 0.2}) {
      const auto period = periodOf(20, 0.0003, 0.0003 * slower);
      RunHistory history;
      double all = 0, longest = 0;
      for (int run = 0; run < 200; ++run) {
        const OneRun one = runAfter(history, moving, period, 100);
        all += one.seconds;
        longest = std::max(longest, one.seconds);
        EXPECT_TRUE(std::find(one.steps.begin(), one.steps.end(), Advice::useAll) == one.steps.end());
      }
      EXPECT_LT(all, 1.06 * 200 * 0.6) << slower << " " << moving;
      EXPECT_LT(longest, 2.2 * 0.6) << slower << " " << moving;
    }
  }
}

TEST(PlainGuard, WhatHasChangedSinceIsNoticed) {
  RunHistory history;
  history.loops = {{0, 0.001, 0.0001, 5000, 0.001, 0.001}, {1, 0.001, 0.0001, 5000, 0.001, 0.001}};
  const OneRun run = runAfter(history, 0.1, periodOf(2, 0.001, 0.005), 5000);
  ASSERT_GE(run.steps.size(), 2U);
  EXPECT_EQ(run.steps[0], Advice::useAll);
  EXPECT_EQ(run.steps[1], Advice::goBack);
  EXPECT_LT(run.seconds, 10 + 6);  // a quarter of the gain, the way, and two windows
  EXPECT_GT(history.loops[0].everywhere, history.loops[0].inPlace);
}

// The first loop is the same, the others are not.
TEST(PlainGuard, AnotherInputComesBack) {
  RunHistory history;
  history.loops = {{0, 0.0001, 0.0001, 1, 0.0001, -1}, {70, 0.001, 0.0001, 5000, 0.001, 0.001}};
  const OneRun run = runAfter(history, 0.1, periodOf(2, 0.0001, 0.001), 5000);
  ASSERT_GE(run.steps.size(), 2U);
  EXPECT_EQ(run.steps[1], Advice::goBack);
  EXPECT_LT(run.seconds, 1 + 0.2 + 0.25);
}

// As miniFE: a loop over the arrays, code of the program's own that fills them, and many short loops. Everywhere the
// code in the middle has to fetch the arrays.
OneRun solverAfter(RunHistory& history, double settingUp) {
  Program program(0.1);
  program.learn(history);
  program.launch({50, settingUp, 1.5 * settingUp + 1});
  program.run(periodOf(3, 0.005, 0.001), 200);
  history = program.history();
  return {program.now, program.steps, program.launchesInPlace};
}

TEST(PlainGuard, LoopsThatRunOnceAreKnownFromEarlierRuns) {
  RunHistory history;
  OneRun run;
  for (int i = 0; i < 20 && run.steps.empty(); ++i) run = solverAfter(history, 3);
  ASSERT_FALSE(run.steps.empty());  // all devices were tried
  for (int i = 0; i < 5; ++i) {
    run = solverAfter(history, 3);
    ASSERT_EQ(run.steps.size(), 1U) << i;  // no way back
    EXPECT_EQ(run.steps[0], Advice::useAll);
    EXPECT_EQ(run.launchesInPlace, 2);  // the loop before that code, and the first one that gains
    EXPECT_LT(run.seconds, 3 + 3);      // 6 in place
  }
}

// Drivers may take long to begin. That is lost, whatever comes then.
TEST(PlainGuard, AWayThatTakesLongerThanThoughtIsNoReasonToGoBack) {
  Program program(0.1);
  program.wayThere = 3;
  program.run(periodOf(10, 0.004, 0.0004), 40);
  EXPECT_EQ(program.place(), Place::everywhere) << program.reason();
  Program slower(0.1);
  slower.wayThere = 3;
  slower.run(periodOf(10, 0.004, 0.04), 40);
  EXPECT_EQ(slower.place(), Place::inPlace);
  EXPECT_LT(slower.now, 1.6 + 3.2 + 0.5);  // in place, there and back, and what it lost there
}

// As LULESH: many loops, of which each gains a little, with times that vary, and a first launch that takes longer.
TEST(PlainGuard, ManyLoopsThatGainALittleGoSoon) {
  std::vector<ModelLoop> slow = periodOf(100, 0.0006, 0.0001), fast = slow;
  for (std::size_t i = 0; i < slow.size(); ++i) slow[i].inPlace *= 1.0 + static_cast<double>(i % 3) / 2;
  RunHistory history;
  OneRun run;
  for (int i = 0; i < 40; ++i) {
    Program program(0.25);
    program.learn(history);
    for (int t = 0; t < 40; ++t) program.run(t % 2 == 0 ? slow : fast, 1);
    history = program.history();
    run = {program.now, program.steps, program.launchesInPlace};
    if (run.steps.size() == 1 && run.steps[0] == Advice::useAll) break;
  }
  ASSERT_EQ(run.steps.size(), 1U);
  EXPECT_EQ(run.steps[0], Advice::useAll);
  EXPECT_LE(run.launchesInPlace, 2);
  EXPECT_LT(run.seconds, 0.25 + 0.5);  // 3 in place
}

TEST(PlainGuard, GoesAtOnceWhereLittleElseIsInTheWay) {
  RunHistory history;
  OneRun run;
  for (int i = 0; i < 20 && run.steps.empty(); ++i) run = solverAfter(history, 0.2);
  ASSERT_FALSE(run.steps.empty());
  run = solverAfter(history, 0.2);
  ASSERT_EQ(run.steps.size(), 1U);
  EXPECT_EQ(run.launchesInPlace, 1);
}

}  // namespace
}  // namespace muster::rt
