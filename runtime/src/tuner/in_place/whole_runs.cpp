// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/whole_runs.h"

#include <algorithm>

namespace muster::rt {
namespace {

// Finding the devices in vain takes this part of a run at most.
constexpr double mostInVain = 0.2;
// The first run with all devices builds kernels, and counts less: it may be so much slower.
constexpr double whileBuilding = 1.25;
// Of the last run in what is known of runs, if it was slower: the machine may have been busy.
constexpr double weightOfLast = 0.5;
// A run that failed, or found no devices, counts as so many times a run in place.
constexpr double ifLost = 4;
// What is known of devices is forgotten little by little while they are not used: there may be others by then. A run
// that took twice as long is repeated 35 runs later.
constexpr double perRun = 0.98;

}  // namespace

WholeRuns::WholeRuns(const RunHistory& history) {
  if (!history.loops.empty()) known_ = history.loops.front();
}

bool WholeRuns::goEverywhere(double openSeconds) const {
  if (known_.inPlace < 0) return false;
  if (known_.launches < 1) return openSeconds <= mostInVain * known_.inPlace;
  return known_.everywhere < known_.inPlace * (known_.launches < 2 ? whileBuilding : 1);
}

void WholeRuns::note(bool wasEverywhere, double seconds) {
  double& known = wasEverywhere ? known_.everywhere : known_.inPlace;
  const bool isFirst = known < 0 || (wasEverywhere && known_.launches < 2);
  known = isFirst ? seconds : std::min(seconds, known + weightOfLast * (seconds - known));
  if (wasEverywhere)
    ++known_.launches;
  else if (known_.launches > 0)
    known_.everywhere *= perRun;
}

RunHistory WholeRuns::historyIfLost(std::uint64_t run) const {
  WholeRuns lost = *this;
  lost.note(true, ifLost * known_.inPlace);
  return lost.history(run);
}

RunHistory WholeRuns::history(std::uint64_t run) const {
  RunHistory history;
  history.loops.push_back(known_);
  history.loops.front().loop = run;
  return history;
}

}  // namespace muster::rt
