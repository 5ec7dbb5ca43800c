// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What earlier runs of a program showed of its loops (docs/decisions/0025-earlier-runs.md).
#pragma once

#include <cstdint>
#include <vector>

namespace muster::rt {

// A loop is a kernel and the order of its size. Seconds are those of a launch and of what the program did behind it.
// Negative seconds are not known.
struct LoopHistory {
  std::uint64_t loop = 0;
  double inPlace = -1;  // but for the first launch of a run
  double everywhere = -1;
  double launches = 0;   // of the last run
  double first = -1;     // the first launch of a run, in place
  double least = -1;     // of those that inPlace is the mean of: what the loop takes where nothing else comes behind it
  bool isBuilt = false;  // its kernel is in the cache
  double iterations = 0;
};

struct RunHistory {
  std::vector<LoopHistory> loops;
  double untried = 0;    // seconds of runs since all devices were tried, less those that have paid for kernels
  double lostAt = 0;     // seconds into its run when the last trial was given up; 0: it was not
  double other = 0;      // seconds in place of what does not come again: first launches, and the program's own code
  double notEnough = 0;  // seconds in which no kernel was built that was missing
  double tooEarly = 0;   // launches of a run in front of which it should not go everywhere
};

}  // namespace muster::rt
