// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one device holds of each array. A device with memory of its own holds a window [lo, hi), which grows and moves
// with what is valid there and what is needed next; a CPU device holds the whole array: rank 0's in place, others' in
// address space that fills when touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "muster/cap/array.h"
#include "muster/cdm/device.h"

namespace muster::cap {

struct Window {
  cdm::BufferId buffer = 0;
  Interval elements;
  std::uint64_t bytes = 0;  // of the buffer: there may be room behind the elements
  bool grown = false;       // more than once: it is given room to grow further
};

class DeviceStorage {
 public:
  // inPlace: the device computes in rank 0's host memory. limit: bytes of all windows, 0: what the device gives.
  DeviceStorage(cdm::ComputeDevice& device, bool inPlace, std::uint64_t limit)
      : device_(device), inPlace_(inPlace), limit_(limit) {}

  // throughHost: where there is no room for a window's old and new buffer at once, its data waits in host memory.
  enum class Growth : std::uint8_t { onDevice, throughHost };
  // Makes room for `wanted`; what is in `held` (valid in the present window) is kept.
  Status ensure(const ArrayInfo& array, const Interval& wanted, const IntervalSet& held,
                Growth growth = Growth::onDevice);

  // What has to stay of an array: what is valid here, and what is about to be wanted.
  struct Need {
    const ArrayInfo* array = nullptr;
    IntervalSet held;
    Interval wanted;
  };
  // Cuts all windows down to what is needed, so that others can grow.
  Status reclaim(const std::function<Need(std::uint32_t array)>& needOf);

  // nullptr while nothing of it is here.
  [[nodiscard]] const Window* find(std::uint32_t array) const;
  Status release(std::uint32_t array);

  [[nodiscard]] cdm::ComputeDevice& device() { return device_; }
  [[nodiscard]] std::uint64_t bytesUsed() const { return used_; }

 private:
  // Valid pieces of a window on their way through host memory.
  struct Rescue;

  Status place(Window& window, const ArrayInfo& array);
  Status slide(Window& window, const ArrayInfo& array, const Interval& needed, const IntervalSet& kept);
  Status grow(Window& window, const ArrayInfo& array, const Interval& needed, const IntervalSet& kept, Growth growth);
  Status replace(Window& window, const ArrayInfo& array, const Interval& elements, const IntervalSet& kept,
                 Growth growth);
  Status replaceThroughHost(Window& window, const ArrayInfo& array, const Interval& elements, const IntervalSet& kept);
  // Beside all that is there.
  [[nodiscard]] bool fits(const Interval& elements, const ArrayInfo& array) const;
  Result<cdm::BufferId> allocate(const ArrayInfo& array, const Interval& elements);
  Status discard(Window& window);
  Status copyPieces(const Window& from, cdm::BufferId to, const Interval& toWindow, const ArrayInfo& array,
                    const IntervalSet& pieces);
  Result<Rescue> rescue(const Window& from, const ArrayInfo& array, const IntervalSet& pieces);
  Status putBack(const Rescue& rescued, const Window& to, const ArrayInfo& array);

  cdm::ComputeDevice& device_;
  bool inPlace_;
  std::uint64_t limit_;
  std::uint64_t used_ = 0;  // bytes of the buffers that count against the limit
  std::unordered_map<std::uint32_t, Window> windows_;
};

}  // namespace muster::cap
