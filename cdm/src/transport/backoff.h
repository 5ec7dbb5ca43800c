// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a rank waits: it spins briefly, then sleeps in growing steps, because ranks may be more than cores. Header
// only, because the MPI module uses it as well and links nothing of the library.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace muster::cdm {

class Backoff {
 public:
  // Call after each poll that found nothing.
  void pause() {
    const Clock::duration waited = Clock::now() - start_;
    if (waited < spinTime) {
      sched_yield();
      return;
    }
    // In proportion to the time waited so far: sleeping too long adds an eighth at most, and a thousandth to a long
    // wait.
    const Clock::duration largest = std::clamp<Clock::duration>(waited / 1000, maxStep, maxLongStep);
    std::this_thread::sleep_for(std::clamp<Clock::duration>(waited / 8, minStep, largest));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds spinTime{20}, minStep{20}, maxStep{500}, maxLongStep{2000};

  Clock::time_point start_ = Clock::now();
};

}  // namespace muster::cdm
