// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device order, memories and weights.
#include "devices/device_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::rt {
namespace {

// Ranks with this very hardware: they share its memory. OpenCL's view of a host's CPU is one memory as well.
std::uint64_t sharersOf(const std::vector<DeviceTable::RankList>& ranks, std::size_t rank,
                        const cdm::DeviceInfo& device) {
  std::uint64_t sharers = 0;
  for (const DeviceTable::RankList& other : ranks) {
    if (other.host != ranks[rank].host) continue;
    for (const cdm::DeviceInfo& info : other.devices) {
      if (info.hostAddressable || info.kind != device.kind) continue;
      const bool same = device.hardwareId.empty() ? device.kind == cdm::DeviceKind::cpu && info.name == device.name
                                                  : info.hardwareId == device.hardwareId;
      if (same) ++sharers;
    }
  }
  return std::max<std::uint64_t>(sharers, 1);
}

// A sixteenth stays free for the driver, for results, and for what is allocated in pages. 0: not limited.
std::uint64_t capacityOf(const cdm::DeviceInfo& device, std::uint64_t sharers, std::uint64_t limit) {
  if (device.hostAddressable) return 0;
  const std::uint64_t own = device.memoryBytes / sharers;
  const std::uint64_t usable = own - own / 16;
  if (usable == 0 || limit == 0) return std::max(usable, limit);
  return std::min(usable, limit);
}

}  // namespace

DeviceTable::DeviceTable(std::vector<DeviceEntry> devices) : devices_(std::move(devices)) {}

DeviceTable DeviceTable::fromRanks(const std::vector<RankList>& ranks, std::uint64_t limitMemory, int jobs) {
  DeviceTable table;
  cap::MemoryId next = 1;  // 0 is the host's; every other device has a memory of its own
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const int rank = static_cast<int>(r);
    const std::size_t first = table.devices_.size();
    cap::MemoryId spill = cap::hostMemory;
    bool hasSpill = rank == 0, inPlaceTaken = rank != 0;
    for (std::size_t i = 0; i < ranks[r].devices.size(); ++i) {
      const cdm::DeviceInfo& info = ranks[r].devices[i];
      const bool inPlace = !inPlaceTaken && info.hostAddressable;
      inPlaceTaken = inPlaceTaken || inPlace;
      const cap::MemoryId own = next++;
      const cap::MemoryId memory = inPlace ? cap::hostMemory : own;
      if (info.hostAddressable && !hasSpill) {
        spill = memory;
        hasSpill = true;
      }
      const std::uint64_t capacity =
          capacityOf(info, sharersOf(ranks, r, info) * static_cast<std::uint64_t>(jobs), limitMemory);
      table.devices_.push_back(
          {{rank, static_cast<std::uint32_t>(i), memory, info.name, capacity, true}, info, ranks[r].host, {}});
    }
    if (!hasSpill) {
      spill = next++;
      const auto index = static_cast<std::uint32_t>(ranks[r].devices.size());
      table.spills_.push_back({rank, index, spill, "spill memory", 0, false});
    }
    for (std::size_t d = first; d < table.devices_.size(); ++d) table.devices_[d].spill = spill;
  }
  return table;
}

std::vector<cap::DevicePlace> DeviceTable::places() const {
  std::vector<cap::DevicePlace> places;
  places.reserve(devices_.size() + spills_.size());
  for (const DeviceEntry& device : devices_) places.push_back(device.place);
  places.insert(places.end(), spills_.begin(), spills_.end());
  return places;
}

bool DeviceTable::needsSpillMemory(int rank) const {
  return std::any_of(spills_.begin(), spills_.end(), [&](const cap::DevicePlace& spill) { return spill.rank == rank; });
}

bool DeviceTable::hasMemory(cap::MemoryId memory) const {
  const std::vector<cap::DevicePlace> all = places();
  return memory == cap::hostMemory ||
         std::any_of(all.begin(), all.end(), [&](const cap::DevicePlace& place) { return place.memory == memory; });
}

std::vector<cap::LimitedMemory> DeviceTable::limitedMemories() const {
  std::vector<cap::LimitedMemory> memories;
  for (const DeviceEntry& device : devices_) {
    if (device.place.capacity == 0) continue;
    memories.push_back({device.place.memory, device.place.capacity,
                        std::min(device.place.capacity, device.info.maxAllocationBytes), device.spill,
                        fmt::format("rank {} on {}, device {}", device.place.rank, device.host, device.info.name)});
  }
  return memories;
}

bool DeviceTable::hostOnly() const { return devices_.size() == 1 && devices_[0].place.memory == cap::hostMemory; }

bool DeviceTable::serves(const DeviceEntry& device, Needs needs) const {
  if (device.info.hostAddressable) return true;
  return needs == Needs::opencl || (needs == Needs::openclFp64 && device.info.fp64);
}

Status DeviceTable::setSpeeds(const std::vector<double>& speeds, double minShare) {
  Result<Slots> slots = slotsFor(speeds, minShare);
  if (!slots.ok()) return slots.status();
  slots_ = std::move(*slots);
  kernelSlots_.clear();
  return {};
}

Status DeviceTable::setKernelSpeeds(const std::vector<std::uint64_t>& kernels, const std::vector<double>& speeds,
                                    double minShare) {
  const Result<Slots> slots = slotsFor(speeds, minShare);
  if (!slots.ok()) return slots.status();
  for (const std::uint64_t kernel : kernels) kernelSlots_[kernel] = *slots;
  return {};
}

Result<DeviceTable::Slots> DeviceTable::slotsFor(const std::vector<double>& speeds, double minShare) const {
  if (speeds.size() != devices_.size())
    return Status(Errc::invalidArgument,
                  fmt::format("{} weights were given for {} devices of the job", speeds.size(), devices_.size()));
  Slots all;
  for (const Needs needs : {Needs::opencl, Needs::openclFp64, Needs::native}) {
    double fastest = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (serves(devices_[i], needs)) fastest = std::max(fastest, speeds[i]);
    }
    auto& slots = all[index(needs)];
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (!serves(devices_[i], needs) || speeds[i] <= 0) continue;
      if (speeds[i] < fastest && speeds[i] <= minShare * fastest) continue;
      slots.push_back({static_cast<std::uint32_t>(i), devices_[i].place.memory, speeds[i] / fastest});
    }
  }
  return all;
}

}  // namespace muster::rt
