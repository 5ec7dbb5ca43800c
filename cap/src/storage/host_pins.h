// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of arrays in the host's memory that are copied to or from a device again and again, such as the rows that MPI
// sends and receives, are page-locked: copies need no pass through slots of the driver then. Locking takes longer than
// a few copies. Not thread-safe.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

#include "muster/cap/array.h"
#include "muster/cdm/device.h"

namespace muster::cap {

class HostPins {
 public:
  // Fewer bytes go through slots about as fast; fewer copies may be all that there are.
  static constexpr std::size_t leastBytes = std::size_t{256} << 10;
  static constexpr unsigned copiesBefore = 3;

  // mostBytes: of all that is locked.
  explicit HostPins(std::size_t mostBytes) : mostBytes_(mostBytes) {}

  // This part of the array's host memory is about to be copied to or from the device.
  void noteCopy(cdm::ComputeDevice& device, const ArrayInfo& array, std::byte* part, std::size_t bytes);
  // Its memory may go, or be exchanged.
  void forget(std::uint32_t array);
  [[nodiscard]] std::size_t lockedBytes() const { return locked_; }

 private:
  struct Key {
    std::uint32_t array = 0;
    cdm::ComputeDevice* device = nullptr;
    std::byte* part = nullptr;
    auto operator<=>(const Key&) const = default;
  };
  struct Part {
    std::size_t bytes = 0;
    unsigned copies = 0;
    cdm::PinnedMemory pinned;
  };
  [[nodiscard]] bool overlapsLocked(const Key& key, std::size_t bytes) const;

  std::size_t mostBytes_, locked_ = 0;
  std::map<Key, Part> parts_;
};

}  // namespace muster::cap
