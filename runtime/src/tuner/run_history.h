// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What earlier runs of a program showed of its loops (docs/decisions/0025-earlier-runs.md).
#pragma once

#include <cstdint>
#include <vector>

namespace muster::rt {

// A loop is a kernel and the order of its size. Seconds are those of a launch and of what the program did behind it.
struct LoopHistory {
  std::uint64_t loop = 0;
  double inPlace = 0;
  double everywhere = -1;  // negative: not known
  double launches = 0;     // of the last run
};

struct RunHistory {
  std::vector<LoopHistory> loops;
  double untried = 0;  // seconds of runs since all devices were tried
  double lostAt = 0;   // seconds into its run when the last trial was given up; 0: it was not
};

}  // namespace muster::rt
