// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All devices of the job in the order that every rank shares, and which of them take part in a launch with what
// weight. The same numbers everywhere: rank 0 sends the speeds.
#pragma once

#include <string>
#include <vector>

#include "muster/cap/executor.h"
#include "muster/cap/planner.h"
#include "muster/cdm/device.h"

namespace muster::rt {

struct DeviceEntry {
  cap::DevicePlace place;
  cdm::DeviceInfo info;
  std::string host;
};

class DeviceTable {
 public:
  DeviceTable() = default;
  explicit DeviceTable(std::vector<DeviceEntry> devices);
  // From each rank's own devices, in rank order. Rank 0's CPU device works in host memory.
  struct RankList {
    std::string host;
    std::vector<cdm::DeviceInfo> devices;
  };
  [[nodiscard]] static DeviceTable fromRanks(const std::vector<RankList>& ranks);

  [[nodiscard]] const std::vector<DeviceEntry>& devices() const { return devices_; }
  [[nodiscard]] std::vector<cap::DevicePlace> places() const;
  // One device, which works in place: nothing ever moves.
  [[nodiscard]] bool hostOnly() const;

  // Relative speeds, one per device. A device below minShare of the fastest of those that could run a kernel takes no
  // part. Errc::invalidArgument for a wrong number of speeds.
  Status setSpeeds(const std::vector<double>& speeds, double minShare);

  // The devices for a kernel: all; those with doubles; those that run native code.
  enum class Needs { opencl, openclFp64, native };
  [[nodiscard]] const std::vector<cap::DeviceSlot>& slots(Needs needs) const { return slots_[static_cast<int>(needs)]; }

 private:
  [[nodiscard]] bool serves(const DeviceEntry& device, Needs needs) const;

  std::vector<DeviceEntry> devices_;
  std::vector<cap::DeviceSlot> slots_[3];
};

}  // namespace muster::rt
