// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When operations ran, on the host's steady clock. A device's clock has another origin and may drift: the difference is
// measured at first, and corrected where it would let an operation start before its call, or end after it was seen to
// be complete.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "muster/cdm/device.h"
#include "stream/driver.h"
#include "stream/hazards.h"

namespace muster::cdm {

class TimingLog {
 public:
  // What an operation is to be listed as.
  struct Label {
    OperationTiming::Kind kind = OperationTiming::Kind::kernel;
    std::uint64_t bytes = 0;
    bool last = true;            // false: the next operation of the lane belongs to the same call
    Owned<DriverEvent> begin{};  // of the call's first device operation, if this is not it
    std::int64_t calledNs = 0;   // on the steady clock
    bool measured = true;        // false: its event does not tell when it ran
    std::uint64_t group = 0;     // of a launch, LaunchSampler::groupOf
    std::uint32_t steps = 1;     // of a launch, at once
  };

  explicit TimingLog(Driver& driver) : driver_(driver) {}

  // By a few small transfers on a queue of its own.
  Status calibrate();
  // A complete operation of a timed queue: `event`, which stands for `id`, of call number `call`. Those of one lane
  // come in their order. How long it ran in ns, 0 if that is not known.
  std::int64_t keep(DriverEvent* event, const Label& label, Event id, std::uint64_t call);
  // All that were kept since the last time, the newest `capacity` of them, in the order of the calls.
  [[nodiscard]] std::vector<OperationTiming> take();

  static constexpr std::size_t capacity = 65536;

 private:
  // The transfers of one call so far.
  struct Unfinished {
    std::int64_t beginNs = 0;
    std::uint64_t bytes = 0;
    bool any = false;
  };
  struct Kept {
    std::uint64_t call;
    OperationTiming timing;
  };

  void store(std::uint64_t call, const OperationTiming& timing);

  Driver& driver_;
  std::int64_t offset_ = 0;  // steady clock minus device clock, in ns
  std::array<Unfinished, lanes> unfinished_;
  std::deque<Kept> kept_;
};

}  // namespace muster::cdm
