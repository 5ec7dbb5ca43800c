// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ranks tell rank 0 outside the command stream, before the first and after the last command: clocks, and bytes of
// any number. Collective: every rank takes part in the same calls in the same order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/cdm/transport.h"

namespace muster::rt {

// How a rank's steady clock stands to that of rank 0.
struct ClockReading {
  std::int64_t atNs = 0;      // when, on rank 0's clock
  std::int64_t offsetNs = 0;  // the rank's clock minus rank 0's
};
// By rank, on rank 0; elsewhere empty. From several round trips; the shortest counts.
[[nodiscard]] Result<std::vector<ClockReading>> readClocks(cdm::Transport& transport);

// Times of a rank on rank 0's clock; clocks drift evenly between two readings.
class RankClock {
 public:
  RankClock(const ClockReading& first, const ClockReading& last) : first_(first), last_(last) {}
  [[nodiscard]] std::int64_t onRankZero(std::int64_t ns) const;

 private:
  ClockReading first_, last_;
};

// Ranks > 0 send `mine`; rank 0 gets them one after the other, and its own first.
Status collect(cdm::Transport& transport, const cdm::Bytes& mine,
               const std::function<Status(int rank, const cdm::Bytes& bytes)>& take);

}  // namespace muster::rt
