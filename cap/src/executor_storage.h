// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one device holds of each array. A device with memory of its own holds a window [lo, hi), grown when a chunk
// needs more; a CPU device holds the whole array: rank 0's in place, others' in address space that fills when touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "muster/cap/executor.h"

namespace muster::cap {

struct Window {
  cdm::BufferId buffer = 0;
  Interval elements;
  bool grown = false;  // more than once: it is given room to grow further
};

class DeviceStorage {
 public:
  // inPlace: the device computes in rank 0's host memory. limit: see ExecutorOptions.
  DeviceStorage(cdm::ComputeDevice& device, bool inPlace, std::uint64_t limit)
      : device_(device), inPlace_(inPlace), limit_(limit) {}

  // Makes room for `wanted`; what is in `held` (valid in the present window) is kept.
  Status ensure(const ArrayInfo& array, const Interval& wanted, const IntervalSet& held);
  // nullptr while nothing of it is here.
  [[nodiscard]] const Window* find(std::uint32_t array) const;
  Status release(std::uint32_t array);

  [[nodiscard]] cdm::ComputeDevice& device() { return device_; }
  [[nodiscard]] std::uint64_t bytesUsed() const { return used_; }

 private:
  Status place(Window& window, const ArrayInfo& array);
  Status grow(Window& window, const ArrayInfo& array, const Interval& wanted, const IntervalSet& held);
  Result<cdm::BufferId> allocate(const ArrayInfo& array, const Interval& elements);
  Status copyHeld(const Window& from, cdm::BufferId to, const Interval& toWindow, const ArrayInfo& array,
                  const IntervalSet& held);

  cdm::ComputeDevice& device_;
  bool inPlace_;
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  std::unordered_map<std::uint32_t, Window> windows_;
  std::unordered_map<std::uint32_t, std::uint64_t> sizes_;  // bytes that count against the limit
};

}  // namespace muster::cap
