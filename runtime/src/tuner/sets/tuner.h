// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuner: on rank 0, changes the device set while the program runs, until it runs fastest (papers/clusterjamp.txt,
// section V).
//
// Loops that share arrays are one group: they have one device set, so that loops that alternate do not drag their
// arrays back and forth. A set is tried for some launches: first until the arrays have moved, code is compiled and the
// weights fit; then, with all devices idle at both ends, it is timed. "grow" and "shrink" end a trial early that takes
// several times as long as the best set. What counts is how long the program waits for the
// runtime in launches and in its own accesses, per iteration of the loops.
//
// "auto" begins with all devices and lets the program run. Once it has run for a while, one period of its launches is
// planned for all other sets, and a model says what they would take (engine/model/forecast.h). Sets within reach of the
// best are tried, the most promising first, and only while all that tuning costs stays below a twentieth of the run.
// The search begins again when the time drifts, and anew for other loops; what was found for loops is kept for their
// return.
//
// Thread-safety: one call at a time; but noteHostAccess from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "protocol/protocol.h"
#include "tuner/search/search.h"
#include "tuner/sets/tuned_job.h"

namespace muster::rt {

class Tuner {
 public:
  // One line of the log, and of the report.
  struct Step {
    double elapsed = 0;            // seconds since the start
    std::uint64_t kernel = 0;      // the group's, whose launch it was
    std::string set;               // what was tried, or is used from now on
    double secondsPerLaunch = 0;   // as timed; 0: not timed
    double movingSeconds = 0;      // what reaching the set cost
    double roundSeconds = 0;       // what asking all idle ranks and deciding took
    std::string decision, reason;  // "try 4:gpu", "stay"
  };
  struct Options {
    TuneMode mode = TuneMode::off;
    std::uint32_t interval = 10;     // launches that a set is timed for, at least
    std::optional<DeviceSet> fixed;  // for all groups; no search
    // A set that was found for the kernel's loops in an earlier run.
    std::function<std::optional<DeviceSet>(std::uint64_t kernel)> stored = [](std::uint64_t) { return std::nullopt; };
    std::function<void(const Step&)> step = [](const Step&) {};
  };

  Tuner(Park park, TunedJob& job, Options options);

  // A launch is about to be planned.
  Status beforeLaunch(const protocol::Launch& launch);
  // The program touches elements that are not on the host.
  void noteHostAccess(const protocol::HostAccess& access);

  // The set of each group of loops that was searched for to the end, or fixed.
  struct Found {
    std::vector<std::uint64_t> kernels;
    DeviceSet set;
    std::size_t tried = 0;
  };
  [[nodiscard]] std::vector<Found> found() const;
  [[nodiscard]] const Park& park() const { return park_; }

 private:
  enum class Stage : std::uint8_t { settled, moving, looking, timed };
  // Loops come again in a period: the longest way, in launches, from one to the next of its kernel and size.
  struct Period {
    std::unordered_map<std::uint64_t, std::uint64_t> lastSeen;  // launch number by kernel and size
    std::uint64_t launched = 0, length = 0;                     // length 0: the first launch has not come again
    std::uint64_t first = 0;                                    // kernel and size of it
    std::uint64_t surprised = 0;  // the last launch that was new, or came after a longer way than any before
    // It may still be a part of a longer one, as the rounds of a cipher are.
    [[nodiscard]] bool heldFor(std::uint64_t launches) const { return launched - surprised >= launches; }
  };
  // What "auto" knows of a group, and the other modes do not need.
  struct Watched {
    bool probed = false, probing = false;  // devices that were too slow to take part at the start
    struct Candidate {
      DeviceSet set;
      std::optional<Forecast> forecast;
      Forecast sum = {};     // of the runs of the sample that were planned so far
      std::size_t runs = 0;  // their number
    };
    std::vector<Candidate> candidates;  // of one period of launches, whose iterations are:
    double periodIterations = 0, periodLaunches = 0;
    std::vector<protocol::Command> period;                   // as recorded, until all candidates have forecasts
    std::vector<std::span<const protocol::Command>> sample;  // runs of it
    double iterationsPerSampled = 1, launchesPerSampled = 1;
    double forecastSeconds = 0;  // that a run took
    double planSeconds = 0;      // of them for one command
    [[nodiscard]] bool allForecast() const {
      return std::all_of(candidates.begin(), candidates.end(),
                         [](const Candidate& candidate) { return candidate.forecast.has_value(); });
    }
    [[nodiscard]] double iterationsPerLaunch() const { return periodIterations / std::max(1.0, periodLaunches); }
    double computeFactor = 1, transferFactor = 1;  // what was timed, relative to the forecast
    double reach = 0;  // a set that is predicted to be so much slower than the best may win; 0: not known yet
    double launchesInTrial = 0;
    double moveCost = 0;                          // seconds, of the last trial
    double expectedCost = 0;                      // of this one, or of a probe
    double rateBefore = 0;                        // seconds per iteration in front of a probe
    double reference = 0;                         // seconds per iteration after the search, 0: not known yet
    int drifted = 0;                              // windows in a row
    std::vector<std::uint64_t> phase, nextPhase;  // kernels of the launches of late; of the last window, if others
    double stay = 0;                              // launches since the phase began
    struct Memo {
      Ledger ledger;
      double stay = 0, movingSeconds = 0;  // launches; of one move
    };
    std::map<std::vector<std::uint64_t>, Memo> memos;  // of phases that were searched to the end
  };
  struct Group {
    DeviceSet set;
    Stage stage = Stage::settled;
    Ledger ledger;
    bool ended = false;  // the search
    Period period;       // not followed any more once a search by "grow" or "shrink" has ended
    // Of the stage:
    std::uint32_t launches = 0, reweighed = 0;
    std::uint64_t iterations = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> launchesOf;  // by kernel
    std::uint64_t anchor = 0;                                     // a timed stage begins and ends before its launches
    double seconds = 0;                                           // on the clock so far
    double movingSeconds = 0;
    std::uint64_t planned = 0;    // by the job, when the stage or its last whole period began
    double planning = 0;          // its seconds, when the stage began
    bool looked = false;          // whether the set is hopeless
    double periodIterations = 0;  // of a long period of this length, 0: not timed yet
    std::uint64_t periodLaunches = 0;
    std::uint64_t timedPeriod = 0;  // the length that the ledger's times are of, at least
    Watched watched;
  };

  Group& groupOf(std::uint64_t kernel);
  Status begin(Group& group, std::uint64_t kernel);
  static void follow(Period& period, const protocol::Launch& launch);
  [[nodiscard]] static bool wholePeriods(const Group& group) {
    return group.period.length == 0 || group.launches % group.period.length == 0;
  }
  Status runClockFor(Group& group);
  Status step(Group& group, std::uint64_t kernel);
  Status endMoving(Group& group, std::uint64_t kernel);
  [[nodiscard]] bool mayLook(const Group& group, std::uint64_t kernel) const;
  Status beginLook(Group& group, std::uint64_t kernel);
  Status endLook(Group& group, std::uint64_t kernel);
  [[nodiscard]] bool isLost(const Group& group) const;
  // The ledger's times are of a part of what the loops do.
  [[nodiscard]] bool isOutgrown(const Group& group) const;
  // Nothing new has come for as long as it takes, or it never will.
  [[nodiscard]] bool knowsPeriod(const Group& group) const;
  // On the clock in this stage.
  [[nodiscard]] double secondsOf(const Group& group) const { return group.seconds + job_.clock().waited - markedAt_; }
  Status endTimed(Group& group, std::uint64_t kernel);
  Status tryNext(Group& group, std::uint64_t kernel, Step step);
  Status use(Group& group, std::uint64_t kernel, const DeviceSet& set, Stage stage);
  [[nodiscard]] std::optional<Proposal> propose(const Group& group) const;
  void startStage(Group& group, Stage stage);
  // tuner_forecasts.cpp
  void startRecording();
  void record(const protocol::Launch& launch);
  void prepareForecasts(Group& group);
  void forecastSome(Group& group, std::uint64_t kernel);
  void forecastRun(Watched& watched, std::uint64_t kernel);
  void calibrate(Group& group);
  [[nodiscard]] double predicted(const Group& group, const Forecast& forecast) const;
  // tuner_auto.cpp
  Status watch(Group& group, std::uint64_t kernel);
  Status startTiming(Group& group, std::uint64_t kernel);
  Status tryNextCandidate(Group& group, std::uint64_t kernel, Step step);
  void report(const Group& group, std::uint64_t kernel, std::string decision, std::string reason) const;
  [[nodiscard]] const Watched::Candidate* mostPromising(const Group& group) const;
  [[nodiscard]] double trialCost(const Group& group, const Watched::Candidate& candidate) const;
  [[nodiscard]] bool affordable(double seconds) const;
  [[nodiscard]] bool pays(const Group& group, const Watched::Candidate& candidate) const;
  [[nodiscard]] double probeCost(const Group& group) const;
  Status startProbing(Group& group, std::uint64_t kernel);
  Status endProbing(Group& group, std::uint64_t kernel);
  [[nodiscard]] bool takesTooLong(const Group& group) const;
  Status endWindow(Group& group, std::uint64_t kernel);
  // rate: seconds per iteration of the new phase on the present set.
  Status changePhase(Group& group, std::uint64_t kernel, std::vector<std::uint64_t> phase, double rate);
  void reopen(Group& group, std::uint64_t kernel, std::string reason);
  [[nodiscard]] bool mayEndMoving(Group& group, std::uint64_t kernel) const;

  [[nodiscard]] bool watches() const { return options_.mode == TuneMode::automatic && !options_.fixed; }

  Park park_;
  TunedJob& job_;
  Options options_;
  double beganAt_;
  std::map<std::size_t, Group> groups_;                     // by the job's number
  std::unordered_map<std::uint64_t, std::size_t> kernels_;  // their groups, as of their last launches
  Group* onClock_ = nullptr;                                // whose launches run now
  double markedAt_ = 0;                                     // the clock when its time began to count
  int searching_ = 0;                                       // groups that are not settled
  double spent_ = 0;                                        // seconds that tuning has cost (auto)
  std::mutex recordMutex_;
  bool recording_ = false;
  std::vector<protocol::Command> recorded_;  // a period of the timed group
};

}  // namespace muster::rt
