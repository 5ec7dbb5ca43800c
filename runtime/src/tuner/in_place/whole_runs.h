// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose threads launch loops at once: arrays cannot go to devices while other threads use them, so that such a
// program is on one CPU or on all devices from its start to its end. Which of both is faster its earlier runs tell.
// Pure; not thread-safe.
#pragma once

#include "tuner/in_place/run_history.h"

namespace muster::rt {

class WholeRuns {
 public:
  // history: of this program with these arguments; one loop stands for all of it.
  explicit WholeRuns(const RunHistory& history = {});

  // The next run. openSeconds: what it takes to find the devices.
  [[nodiscard]] bool goEverywhere(double openSeconds) const;
  // A run took so long.
  void note(bool wasEverywhere, double seconds);
  // For the next runs. `run`: what they are known by.
  [[nodiscard]] RunHistory history(std::uint64_t run) const;
  // The same, if one more run with all devices does not come to its end.
  [[nodiscard]] RunHistory historyIfLost(std::uint64_t run) const;

  // Seconds of runs, negative where there was none yet.
  [[nodiscard]] double inPlace() const { return known_.inPlace; }
  [[nodiscard]] double everywhere() const { return known_.everywhere; }

 private:
  LoopHistory known_;  // launches: runs with all devices
};

}  // namespace muster::rt
