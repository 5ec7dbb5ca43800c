// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a rank waits: it spins, then sleeps in growing steps. Spins briefly where ranks may be more than cores; longer
// where this host has two cores for each of its ranks: a sleep lasts 70 us at least, and a message that MPI sends in
// fragments of 32 KiB needs a poll for each, so that sleeping would cut it down to 0.2 GB/s. Header only, because the
// MPI module uses it as well and links nothing of the library.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace muster::cdm {

class Backoff {
 public:
  Backoff() = default;
  // Never sleeps longer than this at a time, however long it waits.
  explicit Backoff(std::chrono::microseconds longest) : longest_(longest) {}
  // The same beside threads of this process that compute, and want all cores.
  [[nodiscard]] static Backoff besideComputing(std::chrono::microseconds longest) {
    Backoff backoff(longest);
    backoff.spin_ = shortSpin;
    return backoff;
  }

  // Call after each poll that found nothing.
  void pause() {
    const Clock::duration waited = Clock::now() - start_;
    if (waited < spin_) {
      sched_yield();
      return;
    }
    // In proportion to the time waited so far: sleeping too long adds an eighth at most, and a thousandth to a long
    // wait.
    const Clock::duration largest = std::clamp<Clock::duration>(waited / 1000, maxStep, maxLongStep);
    const Clock::duration step = std::clamp<Clock::duration>(waited / 8, minStep, largest);
    std::this_thread::sleep_for(std::min<Clock::duration>(step, longest_));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds shortSpin{20}, longSpin{100000}, minStep{20}, maxStep{500},
      maxLongStep{2000};

  static Clock::duration spinTime() {
    static const Clock::duration time = hasCoresToSpare() ? longSpin : shortSpin;
    return time;
  }
  // Open MPI says how many of a job's ranks are on this host.
  static bool hasCoresToSpare() {
    const char* ranks = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    cpu_set_t cores;
    if (ranks == nullptr || sched_getaffinity(0, sizeof cores, &cores) != 0) return false;
    return CPU_COUNT(&cores) >= 2 * std::atoi(ranks);
  }

  Clock::time_point start_ = Clock::now();
  Clock::duration spin_ = spinTime();
  std::chrono::microseconds longest_ = maxLongStep;
};

}  // namespace muster::cdm
