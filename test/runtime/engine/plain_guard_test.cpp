// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The guard with programs whose times are given.
#include "tuner/in_place/plain_guard.h"

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
    if (builds_ && building <= 0) follow(Advice::stopBuilding);
    Advice advice = guard_.beforeLaunch(loop.id, iterations, now, waited_, [this] {
      return TrialCost{2 * moving_, building > 0 ? kBegin + building : 0, share, kBegin + 0.1};
    });
    if (advice == Advice::drain) {
      ++drains;
      wait();
      advice = guard_.afterDrain(now, waited_);
    }
    double takes = guard_.place() == Place::inPlace ? loop.inPlace : loop.everywhere + firstOf(loop);
    if (builds_) {
      takes *= 1 + share;
      besideFor_ += takes;
      if (!neverBuilt && besideFor_ > kBegin) building -= takes;
    }
    (lazy && guard_.place() != Place::inPlace ? queued_ : now) += takes;
    if (queued_ > queue) wait();
    if (guard_.place() == Place::inPlace) ++launchesInPlace;
    if (advice == Advice::stay) return;
    wait();
    steps.emplace_back(advice);
    if (advice == Advice::build || advice == Advice::stopBuilding) return follow(advice);
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
  void follow(Advice advice) {
    builds_ = advice == Advice::build;
    besideFor_ = 0;
    guard_.builds(builds_ ? share : 0);
  }
  void wait() {
    now += queued_;
    waited_ += std::exchange(queued_, 0);
  }
  void end() {
    wait();
    if (guard_.place() != Place::inPlace) guard_.afterDrain(now, waited_);
  }
  void learn(const RunHistory& history) { guard_.learn(history); }
  [[nodiscard]] RunHistory history() const { return guard_.history(); }
  [[nodiscard]] Place place() const { return guard_.place(); }
  [[nodiscard]] std::string reason() const { return std::string(guard_.reason()); }

  double now = 0;
  double iterations = 1e6;  // of a launch
  bool lazy = false;        // launches on devices are queued
  bool neverBuilt = false;  // a kernel takes a compiler very long
  double queue = 0.01;      // so many seconds of them
  double firstSeconds = 0;  // what a kernel takes to build there
  double building = 0;      // what they take to build beside the program
  double share = 1.0 / 16;  // of the program's speed, which that takes
  double wayThere = 0;      // where it takes longer than is thought
  int drains = 0, launchesInPlace = 0;
  std::vector<Advice> steps;

 private:
  double firstOf(const ModelLoop& loop) {
    if (std::find(built_.begin(), built_.end(), loop.id) != built_.end()) return 0;
    built_.push_back(loop.id);
    return firstSeconds;
  }
  PlainGuard guard_;
  double moving_, queued_ = 0, waited_ = 0;
  static constexpr double kBegin = 0.6;  // seconds, of what builds kernels
  bool builds_ = false;
  double besideFor_ = 0;
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
  program.end();
  history = program.history();
  return {program.now, program.steps, program.launchesInPlace};
}

// As NPB BT, of which a launch takes an H100 fifty times as long as the program's thread needs to queue it.
TEST(PlainGuard, WhatIsQueuedIsKnownToBeSlow) {
  RunHistory history;
  const auto period = periodOf(23, 0.001, 0.01);
  for (const LoopHistory& loop : std::vector<LoopHistory>{{0}, {7}, {22}})
    history.loops.push_back({loop.loop, 0.001, 0.0001, 200, 0.001, 0.001});
  for (int run = 0; run < 5; ++run) {
    Program program(0.1);
    program.lazy = true;
    program.queue = 5;
    program.learn(history);
    program.run(period, 200);
    program.end();
    history = program.history();
    EXPECT_LT(program.now, run == 0 ? 1.3 * 4.6 : 1.15 * 4.6) << run;
    if (run > 0) EXPECT_EQ(std::count(program.steps.begin(), program.steps.end(), Advice::useAll), 0) << run;
  }
}

// It is over before anything has waited for them.
TEST(PlainGuard, WhatIsQueuedAtTheEndIsKnownToBeSlow) {
  RunHistory history;
  history.loops = {{0, 0.01, 0.001, 100, 0.01, 0.01}};
  Program program(0.01);
  program.lazy = true;
  program.queue = 100;
  program.learn(history);
  program.run(periodOf(1, 0.01, 0.011), 100);
  program.end();
  EXPECT_NEAR(program.history().loops.at(0).everywhere, 0.011, 0.002);
}

// As iso2dfd, which computes everything once more by itself, and compares.
TEST(PlainGuard, WhatComesAfterTheLastLaunchIsNoLoops) {
  RunHistory history;
  history.loops = {{0, 0.015, 0.0001, 200, 0.015, 0.015}};
  for (int run = 0; run < 2; ++run) {
    Program program(0.3);
    program.lazy = true;
    program.learn(history);
    program.run(periodOf(1, 0.015, 0.0001), 200);
    program.wait();
    program.now += 3.8;
    program.end();
    history = program.history();
    EXPECT_EQ(program.steps, std::vector{Advice::useAll}) << run;
    EXPECT_NEAR(history.loops.at(0).everywhere, 0.0001, 0.00002) << run;
  }
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

// Kernels are built once. Until they are, no trial.
OneRun runThatBuilds(RunHistory& history, double& building, const std::vector<ModelLoop>& period, int times) {
  Program program(0.1);
  program.building = building;
  program.learn(history);
  program.run(period, times);
  history = program.history();
  building = program.building;
  return {program.now, program.steps, program.launchesInPlace};
}

TEST(PlainGuard, LongRunsBuildKernelsBeforeTheyTry) {
  RunHistory history;
  double building = 1;
  const OneRun run = runThatBuilds(history, building, periodOf(1, 0.1, 0.002), 500);
  EXPECT_EQ(run.steps, (std::vector<Advice>{Advice::build, Advice::tryAll, Advice::keepAll}));
  EXPECT_LT(run.seconds, 4);  // 50 in place; 1.6 of them beside what builds, and 1 everywhere
}

// As CloverLeaf: eleven seconds of kernels, and runs of ten.
TEST(PlainGuard, ShortRunsBuildKernelsOneAfterTheOther) {
  const auto period = periodOf(100, 0.005, 0.0002);
  RunHistory history;
  double building = 11;
  const OneRun first = runThatBuilds(history, building, period, 20);
  EXPECT_EQ(first.steps, (std::vector<Advice>{Advice::build}));
  EXPECT_LT(first.seconds, 1.07 * 10);
  const OneRun second = runThatBuilds(history, building, period, 20);
  EXPECT_EQ(second.steps, (std::vector<Advice>{Advice::build, Advice::tryAll, Advice::keepAll}));
  EXPECT_LT(second.seconds, 0.5 * 10);
  const OneRun third = runThatBuilds(history, building, period, 20);
  EXPECT_EQ(third.steps, (std::vector<Advice>{Advice::useAll}));
  EXPECT_LT(third.seconds, 0.1 * 10);
}

// With few processors as well: it ends when it has taken what it may, and goes on later.
TEST(PlainGuard, KernelsThatAreNeverBuiltCostLittle) {
  for (const double share : {0.001, 1.0 / 16, 1.0 / 4, 1.0 / 2}) {
    for (const double iterations : {1e6, 62.0}) {
      RunHistory history;
      double all = 0;
      for (int run = 0; run < 100; ++run) {
        Program program(0.1);
        program.neverBuilt = true;
        program.building = 20;
        program.share = share;
        program.iterations = iterations;
        program.learn(history);
        program.run(periodOf(23, 0.001, 0.0001), 200);
        history = program.history();
        all += program.now;
      }
      EXPECT_LT(all, (iterations > 1024 ? 1.3 : 1.001) * 100 * 4.6) << share << " " << iterations;
    }
  }
}

// As NPB BT: its long loops have 62 iterations, which no GPU runs faster. Nothing is built for them.
TEST(PlainGuard, FewIterationsPromiseNothing) {
  std::vector<ModelLoop> period = periodOf(23, 0.001, 0.01);
  RunHistory history;
  for (int run = 0; run < 20; ++run) {
    Program program(0.1);
    program.building = 1.3;
    program.learn(history);
    for (int step = 0; step < 200; ++step) {
      program.iterations = 62;
      program.run(period, 1);
      program.iterations = 1e6;
      program.run(periodOf(10, 0.0005, 0.0001, 100), 1);
    }
    history = program.history();
    EXPECT_TRUE(program.steps.empty()) << run;
  }
}

// As TeaLeaf: a loop that sets up comes a few times, and earlier runs have saved for a trial.
TEST(PlainGuard, TriesWhereItIsWorthIt) {
  RunHistory history;
  OneRun run;
  for (int i = 0; i < 20 && run.steps.empty(); ++i) {
    Program program(0.4);
    program.learn(history);
    program.run({{40, 0.001, 0.1}}, 8);
    program.run(periodOf(3, 0.0007, 0.0001), 900);
    history = program.history();
    run = {program.now, program.steps, program.launchesInPlace};
  }
  ASSERT_EQ(run.steps.size(), 2U);
  EXPECT_EQ(run.steps[1], Advice::keepAll);
  EXPECT_LT(run.seconds, 0.9);  // 1.9 in place; 1.2 where it is tried while it sets up
}

// What is built and brings nothing is lost as a trial is.
TEST(PlainGuard, KernelsOfManyShortRunsCostLittle) {
  const auto period = periodOf(20, 0.0003, 0.0006);
  RunHistory history;
  double all = 0, building = 0.1;
  for (int run = 0; run < 200; ++run) all += runThatBuilds(history, building, period, 200).seconds;
  EXPECT_LE(building, 0);
  EXPECT_LT(all, 1.06 * 200 * 1.2);
}

TEST(PlainGuard, ARunThatIsNearlyOverTriesNothing) {
  const auto period = periodOf(1, 0.01, 0.001);
  RunHistory history;
  history.loops = {{0, 0.01, -1, 300, 0.01, 0.01}};          // 3 s
  const OneRun late = runAfter(history, 0.35, period, 300);  // could pay after 2.8 s
  EXPECT_TRUE(late.steps.empty());
  const OneRun next = runAfter(history, 0.35, period, 300);
  ASSERT_FALSE(next.steps.empty());
  EXPECT_LT(next.seconds, 2);
  // Where it goes on beyond what was expected, it is another one.
  history.loops = {{0, 0.01, -1, 300, 0.01, 0.01}};
  EXPECT_FALSE(runAfter(history, 0.35, period, 2000).steps.empty());
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

// As miniFE's third run: the loop in front of the program's own code gains as well, as was seen later in the run. Going
// there pays for itself at once, and everything is lost behind it.
TEST(PlainGuard, WhoWentTooEarlyGoesLaterInTheNextRun) {
  for (const double settingUp : {3.0, 0.5}) {
    RunHistory history;
    double inPlace = 0, last = 0;
    int slow = 0;
    for (int i = 0; i < 30; ++i) {
      Program program(0.1);
      program.learn(history);
      for (int v = 0; v < 2; ++v) program.launch({50, 0.3, 0.02});
      program.launch({51, settingUp, 3 * settingUp + 1});
      program.run(periodOf(3, 0.005, 0.001), 20);
      for (int v = 0; v < 3; ++v) program.launch({50, 0.3, 0.02});
      program.run(periodOf(3, 0.005, 0.001), 180);
      history = program.history();
      inPlace = 5 * 0.3 + settingUp + 3 * 200 * 0.005;
      slow += program.now > inPlace;
      last = program.now;
    }
    EXPECT_LE(slow, 1) << "a run that lost teaches the next one";
    EXPECT_LT(last, inPlace - 2) << "it still goes everywhere, later";
  }
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
