// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a planned launch takes, by a model: copies over each rank's network link and each device's bus, then the slowest
// chunk. Pure. Copies between ranks are taken to be done before chunks begin (in truth interiors overlap with them),
// and contested elements as if half of them changed.
#pragma once

#include <functional>
#include <unordered_map>

#include "devices/device_table.h"
#include "muster/cap/planner.h"

namespace muster::rt {

struct Links {
  double networkBytesPerSecond = 1e9, networkLatency = 20e-6;  // of one rank, each direction
  double busBytesPerSecond = 10e9, busLatency = 10e-6;         // of one device with memory of its own
  double launchSeconds = 5e-6;                                 // of a launch that moves nothing
};

class LaunchCost {
 public:
  LaunchCost(const DeviceTable& table, const Links& links);

  // Seconds that the device needs for one iteration of all dimensions.
  using PerIteration = std::function<double(std::uint32_t device)>;
  // inner: iterations of the other dimensions for each of the first one. The slowest chunk.
  [[nodiscard]] static double computeSeconds(const cap::Plan& plan, double inner, const PerIteration& perIteration);
  [[nodiscard]] double transferSeconds(const cap::Plan& plan) const;
  // Until all ranks have heard of it, and devices begin.
  [[nodiscard]] double startSeconds(const cap::Plan& plan) const;

 private:
  struct Place {
    int rank = 0;
    bool ownMemory = false;
  };
  const Links links_;
  std::unordered_map<cap::MemoryId, Place> places_;
};

}  // namespace muster::rt
