// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlainGuard: "auto" must not be slower than the plain OpenMP program, whose speed is that of rank 0's CPU working in
// place, where nothing is copied. A program therefore begins there. What it does between two launches, its own code,
// fetches and waits included, is the first one's time; the mean of a loop's times is what it is worth. Once a period of
// launches has come again, all devices are tried: launches on them earn what they are worth, and lose what the program
// takes. A trial ends early when it has lost more than its budget. Where all devices win, they are watched by the same
// measure; where they lose, the next trial comes when the run is several times as long.
//
// What earlier runs showed counts, too: a program of which all devices are known to be faster goes there without a
// trial, if what is left of it is worth the way. It goes at once where little else is in its way, such as code of its
// own that sets up arrays, and else where the loops begin that gain. Where much was lost behind that, the next
// run goes later.
//
// Kernels for all devices are built before a trial, by a process beside the program, which leaves it a processor. That
// is an investment of its own, which later runs share.
//
// All times are in seconds since the program's start. Pure. Thread-safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "tuner/in_place/run_history.h"

namespace muster::rt {

// What a trial takes, roughly.
struct TrialCost {
  double moving = 0;    // going to all devices and back
  double building = 0;  // beside the program, until there is a kernel for each loop
  double share = 0;     // what this takes of the program's speed meanwhile, of 1
  double part = 0;      // with less of it little is built
};

class PlainGuard {
 public:
  enum class Place : std::uint8_t { inPlace, trial, everywhere };
  // drain: say afterDrain() once all devices are idle. tryAll, useAll, goBack, keepAll: say moved() once it is so,
  // which may be after the launch. useAll goes everywhere without a trial. build: say builds() when that begins and
  // ends.
  enum class Advice : std::uint8_t { stay, drain, build, stopBuilding, tryAll, useAll, goBack, keepAll };

  // In front of the first launch.
  void learn(const RunHistory& history);
  // What this run adds to that.
  [[nodiscard]] RunHistory history() const;

  // Before each launch. loop: its kernel and the order of its size. iterations: of all its dimensions. waited: seconds
  // so far that the program has spent in the runtime. trialCost: asked for rarely.
  [[nodiscard]] Advice beforeLaunch(std::uint64_t loop, double iterations, double now, double waited,
                                    const std::function<TrialCost()>& trialCost);
  // Also at the end of the program, where the advice is for nobody. waited: as in beforeLaunch.
  Advice afterDrain(double now, double waited);
  void moved(Place place, double now);
  // share: what building takes of the program's speed from now on; 0: nothing is being built.
  void builds(double share);
  // A trial was advised, and cannot be: for later runs that is a lost one.
  void foundNoDevices();

  [[nodiscard]] Place place() const { return place_; }
  // Its kernel was built in an earlier run.
  [[nodiscard]] bool isBuilt(std::uint64_t loop) const {
    const auto found = loops_.find(loop);
    return found != loops_.end() && found->second.isBuilt;
  }
  // Of the last advice but stay and drain. For people.
  [[nodiscard]] std::string_view reason() const { return reason_; }

 private:
  struct Mean {
    std::uint64_t times = 0;
    double seconds = 0;  // of all of these
    [[nodiscard]] bool known() const { return times > 0; }
    [[nodiscard]] double value() const { return seconds / static_cast<double>(times); }
  };
  // Means are without the first launch in a place, in which memory is touched or moved and code is loaded or built.
  struct Loop {
    std::uint64_t lastLaunch = 0, launches = 0;
    Mean inPlace, everywhere;
    double first = -1, least = -1;  // in place, as in LoopHistory
    bool ran = false, ranEverywhere = false;
    bool hasHistory = false, isBuilt = false;
    double iterations = 0;  // of a launch
    double expected = 0;    // launches, by the last run
    // What this launch is worth: of one that is the first in this run, what it was in an earlier one.
    [[nodiscard]] bool known() const { return inPlace.known() || (hasHistory && first >= 0); }
    [[nodiscard]] double worth() const {
      return first >= 0 && (!inPlace.known() || launches == 1) ? first : inPlace.value();
    }
    // Where nothing else comes behind it.
    [[nodiscard]] double usual() const;
    // By the last run: launches that are left, and what these gain everywhere.
    [[nodiscard]] double left() const { return std::max(0.0, expected - static_cast<double>(launches)); }
    [[nodiscard]] double gain() const;
  };
  // Of launches whose worth is known, and of the others.
  struct Account {
    std::uint64_t launches = 0;
    double worth = 0, seconds = 0, unknown = 0;
    [[nodiscard]] double lost() const { return seconds - worth; }
  };

  void follow(Loop& loop);
  void credit(double now, double waited);
  void spread(double seconds);
  [[nodiscard]] bool isPeriodic() const { return longestWay_ > 0 && launched_ - surprised_ >= longestWay_; }
  // Of loops that come again, by the last run.
  struct Expected {
    double seconds = 0, inWide = 0, left = 0;  // in place: in all, of launches that may fill a device, from now on
    int loops = 0;                             // that are left
  };
  [[nodiscard]] std::optional<Expected> expected() const;
  [[nodiscard]] double share(double most) const;
  [[nodiscard]] bool isPromising() const;
  [[nodiscard]] double promise(double most) const;
  [[nodiscard]] Advice whetherToTry(const std::function<TrialCost()>& trialCost);
  [[nodiscard]] Advice whetherItGains(const std::function<TrialCost()>& trialCost);
  [[nodiscard]] Advice whetherToBuild(const TrialCost& cost, const std::optional<Expected>& known);
  double count(Mean& mean, double took) const;
  Advice judge();
  Advice confirm();
  Advice watch(const std::function<TrialCost()>& trialCost);
  Advice giveUp(std::string_view reason);
  Advice advise(Advice advice, std::string_view reason) {
    reason_ = reason;
    return advice;
  }

  Place place_ = Place::inPlace;
  std::string_view reason_;
  std::unordered_map<std::uint64_t, Loop> loops_;
  Loop* last_ = nullptr;  // whose time runs
  double at_ = 0;         // when it began
  double waited_ = 0;     // in the runtime, by then
  // The longest way, in launches, from one of a loop to the next, and the last launch that was new or came after a
  // longer one.
  std::uint64_t launched_ = 0, longestWay_ = 0, surprised_ = 0;
  double repeated_ = 0;             // seconds in place of launches that came again
  double inWide_ = 0, inLong_ = 0;  // of these, of launches that may fill a device; that also take long
  std::uint64_t repeats_ = 0;
  double nextLook_ = 0;
  double spent_ = 0;  // on trials that were lost, and on kernels
  double owed_ = 0;   // seconds of runs that pay for kernels
  int lostTrials_ = 0;
  double lostAt_ = 0;
  double mayLose_ = 0;      // beside the way, where a trial begins
  double budget_ = 0;       // what this trial may lose
  double building_ = 0;     // the share of its speed that the program leaves to that
  double nextDrain_ = 0;    // by worth
  Account trial_, steady_;  // whole; after arrays have moved and code is built
  bool isSteady_ = false;
  Account window_;  // of late, everywhere
  int slowWindows_ = 0;
  double untried_ = 0;  // seconds of earlier runs
  double other_ = 0, learnedOther_ = 0;
  double expectedLaunches_ = 0;  // of all loops, by the last run
  double tooEarly_ = 0;          // launches, as in RunHistory
  double mayFallBehind_ = 0;     // seconds, where it went everywhere by history: beyond that it went too early
  bool hasHistory_ = false, tried_ = false;
  bool looksAgain_ = false;                          // nothing is being built any more
  double allowance_ = 0;                             // what having gone everywhere at once may lose; 0: it has won that
  std::unordered_map<Loop*, std::uint64_t> queued_;  // launches everywhere since all devices were idle
};

}  // namespace muster::rt
