// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device order, memories and weights.
#include "engine/device_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::rt {

DeviceTable::DeviceTable(std::vector<DeviceEntry> devices) : devices_(std::move(devices)) {}

DeviceTable DeviceTable::fromRanks(const std::vector<RankList>& ranks) {
  std::vector<DeviceEntry> devices;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    bool inPlaceTaken = rank != 0;
    for (std::size_t i = 0; i < ranks[rank].devices.size(); ++i) {
      const cdm::DeviceInfo& info = ranks[rank].devices[i];
      const bool inPlace = !inPlaceTaken && info.hostAddressable;
      inPlaceTaken = inPlaceTaken || inPlace;
      // 0 is the host's; every other device has a memory of its own.
      const auto memory = inPlace ? cap::hostMemory : static_cast<cap::MemoryId>(devices.size() + 1);
      devices.push_back(
          {{static_cast<int>(rank), static_cast<std::uint32_t>(i), memory, info.name}, info, ranks[rank].host});
    }
  }
  return DeviceTable(std::move(devices));
}

std::vector<cap::DevicePlace> DeviceTable::places() const {
  std::vector<cap::DevicePlace> places;
  for (const DeviceEntry& device : devices_) places.push_back(device.place);
  return places;
}

bool DeviceTable::hostOnly() const { return devices_.size() == 1 && devices_[0].place.memory == cap::hostMemory; }

bool DeviceTable::serves(const DeviceEntry& device, Needs needs) const {
  if (device.info.hostAddressable) return true;
  return needs == Needs::opencl || (needs == Needs::openclFp64 && device.info.fp64);
}

Status DeviceTable::setSpeeds(const std::vector<double>& speeds, double minShare) {
  if (speeds.size() != devices_.size())
    return {Errc::invalidArgument,
            fmt::format("{} weights were given for {} devices of the job", speeds.size(), devices_.size())};
  for (const Needs needs : {Needs::opencl, Needs::openclFp64, Needs::native}) {
    double fastest = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (serves(devices_[i], needs)) fastest = std::max(fastest, speeds[i]);
    }
    auto& slots = slots_[static_cast<int>(needs)];
    slots.clear();
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (!serves(devices_[i], needs) || speeds[i] <= 0 || speeds[i] < minShare * fastest) continue;
      slots.push_back({static_cast<std::uint32_t>(i), devices_[i].place.memory, speeds[i] / fastest});
    }
  }
  return {};
}

}  // namespace muster::rt
