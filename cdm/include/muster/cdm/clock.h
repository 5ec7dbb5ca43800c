// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock of all measurements and traces: std::chrono::steady_clock, in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace muster::cdm {

[[nodiscard]] inline std::int64_t traceClock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
[[nodiscard]] inline double secondsSince(std::int64_t beganNs) {
  return static_cast<double>(traceClock() - beganNs) * 1e-9;
}

}  // namespace muster::cdm
