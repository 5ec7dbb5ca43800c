// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All devices of the job in the order that every rank shares, and which of them take part in a launch with what
// weight. The same numbers everywhere: rank 0 sends the speeds.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "muster/cap/executor.h"
#include "muster/cap/planner.h"
#include "muster/cap/residency.h"
#include "muster/cdm/device.h"

namespace muster::rt {

struct DeviceEntry {
  cap::DevicePlace place;
  cdm::DeviceInfo info;
  std::string host;
  cap::MemoryId spill = cap::hostMemory;  // where elements go that have no room in its memory
};

class DeviceTable {
 public:
  DeviceTable() = default;
  explicit DeviceTable(std::vector<DeviceEntry> devices);
  // From each rank's own devices, in rank order. Rank 0's CPU device works in host memory. limitMemory: bytes that a
  // device with memory of its own may use for arrays at most (MUSTER_LIMIT_MEM); 0: what it has, less a reserve.
  // jobs: so many, with this one, share the memory of each.
  struct RankList {
    std::string host;
    std::vector<cdm::DeviceInfo> devices;
  };
  [[nodiscard]] static DeviceTable fromRanks(const std::vector<RankList>& ranks, std::uint64_t limitMemory = 0,
                                             int jobs = 1);

  [[nodiscard]] const std::vector<DeviceEntry>& devices() const { return devices_; }
  // The devices' places, then those of memories that only hold spilled elements: one for each rank > 0 without a CPU
  // device, behind that rank's devices.
  [[nodiscard]] std::vector<cap::DevicePlace> places() const;
  [[nodiscard]] bool needsSpillMemory(int rank) const;
  [[nodiscard]] bool hasMemory(cap::MemoryId memory) const;
  [[nodiscard]] std::vector<cap::LimitedMemory> limitedMemories() const;
  // One device, which works in place: nothing ever moves.
  [[nodiscard]] bool hostOnly() const;

  // Relative speeds, one per device. A device with at most minShare of the speed of the fastest of those that could run
  // a kernel takes no part. Errc::invalidArgument for a wrong number of speeds. For all kernels, also those that had
  // speeds of their own.
  Status setSpeeds(const std::vector<double>& speeds, double minShare);
  // The same for these kernels only.
  Status setKernelSpeeds(const std::vector<std::uint64_t>& kernels, const std::vector<double>& speeds, double minShare);

  // The devices for a kernel: all; those with doubles; those that run native code.
  enum class Needs { opencl, openclFp64, native };
  [[nodiscard]] const std::vector<cap::DeviceSlot>& slots(Needs needs) const { return slots_[index(needs)]; }
  [[nodiscard]] const std::vector<cap::DeviceSlot>& slots(Needs needs, std::uint64_t kernel) const {
    if (kernelSlots_.empty()) return slots(needs);
    const auto own = kernelSlots_.find(kernel);
    return own == kernelSlots_.end() ? slots(needs) : own->second[index(needs)];
  }

 private:
  using Slots = std::array<std::vector<cap::DeviceSlot>, 3>;  // by Needs
  static std::size_t index(Needs needs) { return static_cast<std::size_t>(needs); }
  [[nodiscard]] bool serves(const DeviceEntry& device, Needs needs) const;
  [[nodiscard]] Result<Slots> slotsFor(const std::vector<double>& speeds, double minShare) const;

  std::vector<DeviceEntry> devices_;
  std::vector<cap::DevicePlace> spills_;
  Slots slots_;
  std::unordered_map<std::uint64_t, Slots> kernelSlots_;
};

}  // namespace muster::rt
