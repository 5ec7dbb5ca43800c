// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device sets: which devices take part, as the tuner changes it: of so many machines (ranks), all devices of some
// kinds (papers/clusterjamp.txt, section V). Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "devices/device_table.h"

namespace muster::rt {

// Means something only together with a Park.
struct DeviceSet {
  int machines = 0;         // the first ones of those that have any device of the kinds
  std::uint32_t kinds = 0;  // bit k: kind number k of the park
  int perMachine = 0;       // so many devices of each machine at most, 0: all
  auto operator<=>(const DeviceSet&) const = default;
};

// All devices of the job, as the tuner sees them.
class Park {
 public:
  struct Device {
    int machine = 0;  // its rank
    std::size_t kind = 0;
    double speed = 1;  // relative to any other
  };
  // kinds: their names; each must be that of some device.
  Park(std::vector<std::string> kinds, std::vector<Device> devices);
  // Kinds are "gpu" (and accelerators), "cpu" (native) and "opencl" (CPUs by OpenCL), the fastest first: by one
  // machine's devices. Devices of speed 0 are of no kind.
  [[nodiscard]] static Park of(const DeviceTable& table, const std::vector<double>& speeds);

  [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
  [[nodiscard]] const std::vector<std::string>& kinds() const { return kinds_; }
  [[nodiscard]] std::uint32_t allKinds() const { return (std::uint32_t{1} << kinds_.size()) - 1; }

  // Machines that have any device of these kinds, in the order in which they join: by rank, but those that have less
  // than half of the median machine's speed come last.
  [[nodiscard]] std::vector<int> machines(std::uint32_t kinds) const;
  [[nodiscard]] int machineCount(std::uint32_t kinds) const { return static_cast<int>(machines(kinds).size()); }
  // The largest number of devices of these kinds in one machine.
  [[nodiscard]] int mostPerMachine(std::uint32_t kinds) const;

  [[nodiscard]] DeviceSet full() const { return {machineCount(allKinds()), allKinds(), 0}; }
  // By device, in the order of the table.
  [[nodiscard]] std::vector<bool> members(const DeviceSet& set) const;
  [[nodiscard]] int memberCount(const DeviceSet& set) const;
  // 1, 2, 4, ... machines, and all of them.
  [[nodiscard]] std::vector<int> machineSteps(std::uint32_t kinds) const;
  // Non-empty combinations of kinds, small ones first.
  [[nodiscard]] std::vector<std::uint32_t> combinations() const;
  // Each combination of kinds with each step of machines; sets with the same members once.
  [[nodiscard]] std::vector<DeviceSet> all() const;

  // "4:gpu+cpu", "1:gpu/1" (one device per machine); and back. Errc::invalidArgument says what is wrong.
  [[nodiscard]] std::string text(const DeviceSet& set) const;
  [[nodiscard]] Result<DeviceSet> parse(std::string_view text) const;

 private:
  [[nodiscard]] double machineSpeed(int machine, std::uint32_t kinds) const;

  std::vector<std::string> kinds_;
  std::vector<Device> devices_;
  int machineLimit_ = 0;  // above all machines
};

}  // namespace muster::rt
