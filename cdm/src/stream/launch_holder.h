// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches wait for those behind them, to start together (Command::mayWait): in long runs of launches, where
// nothing else comes between. The first ones of a run start at once, so that the device has work while others gather,
// and short runs are left alone. Where launches come in cycles, those that start together begin at the same kernel
// each time, so that the driver sees the same ones again. Pure.
#pragma once

#include <algorithm>

namespace muster::cdm {

class LaunchHolder {
 public:
  static constexpr unsigned most = 32;  // that start together

  // A launch of this kernel comes. What waits has to start first, because a cycle begins anew.
  [[nodiscard]] bool endsBefore(const void* kernel) const {
    return held_ > 0 && kernel == first_ && (!beginsCycle_ || held_ >= leastCycle);
  }
  // Whether the launch waits; behind endsBefore().
  [[nodiscard]] bool takes(const void* kernel) {
    if (!holds()) {
      ++inRow_;
      return false;
    }
    if (first_ == nullptr) first_ = kernel;
    if (held_++ == 0) beginsCycle_ = kernel == first_;
    return true;
  }
  // What waits starts, because there is enough of it, or something else comes.
  void starts() {
    held_ = 0;
    atOnce_ = fewestAtOnce;
  }
  // The same, because nobody came: longer runs are left alone from now on.
  void startsInVain() {
    held_ = 0;
    atOnce_ = std::min(mostAtOnce, 2 * atOnce_);
    endRun();
  }
  // Something else comes, behind starts() where launches wait.
  void endRun() {
    inRow_ = 0;
    first_ = nullptr;
  }
  [[nodiscard]] unsigned held() const { return held_; }
  // The next launch waits, if it can.
  [[nodiscard]] bool holds() const { return inRow_ >= atOnce_; }

 private:
  static constexpr unsigned leastCycle = 16, fewestAtOnce = 7, mostAtOnce = 4096;

  unsigned inRow_ = 0;              // launches that started, with nothing else between
  unsigned atOnce_ = fewestAtOnce;  // so many of a run do before others wait
  unsigned held_ = 0;
  const void* first_ = nullptr;  // kernel that waited in this run
  bool beginsCycle_ = false;     // the first of those that wait is of that kernel
};

}  // namespace muster::cdm
