// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tuner needs of the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/protocol.h"

namespace muster::rt {

// What commands would take on other devices, in seconds, by a model.
struct Forecast {
  double compute = 0;              // of the slowest device, each time
  double transfer = 0;             // before each, with what starting it takes
  double moving = 0;               // once
  std::vector<bool> devices = {};  // which would have a part in it
  bool possible = true;            // some device can run them
};

class TunedJob {
 public:
  struct Clock {
    double elapsed = 0;         // seconds
    double waited = 0;          // of them the program has spent in the runtime
    std::uint64_t planned = 0;  // launches whose plans were not remembered
    double planning = 0;        // seconds on them, of those that the program waited
  };
  virtual ~TunedJob() = default;
  // Kernels that share arrays have the same number. It may change when they join others.
  [[nodiscard]] virtual std::size_t groupOf(std::uint64_t kernel) = 0;
  [[nodiscard]] virtual Clock clock() const = 0;
  // All ranks do everything so far; what they measured is known then.
  virtual Status drain() = 0;
  // The kernel's group uses these devices only, from the next launch on.
  virtual Status restrict(std::uint64_t kernel, const std::vector<bool>& members) = 0;
  // No device that is too slow to take part has never run the kernel.
  [[nodiscard]] virtual bool ranEverywhere(std::uint64_t kernel) const = 0;
  // All devices take part, however slow they seem to be, until the next restrict().
  virtual Status probe(std::uint64_t kernel) = 0;
  // The group's weights follow from what is known; true: they are others now.
  virtual Result<bool> reweigh(std::uint64_t kernel) = 0;
  // While on, weights change only by reweigh().
  virtual void hold(bool on) = 0;
  // What commands of the kernel's group would take on these devices.
  [[nodiscard]] virtual Forecast forecast(std::uint64_t kernel, std::span<const protocol::Command> commands,
                                          const std::vector<bool>& members) = 0;
};

}  // namespace muster::rt
