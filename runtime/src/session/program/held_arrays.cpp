// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/program/held_arrays.h"

#include "host/arrays/managed_memory.h"

namespace muster::rt {

void HeldArrays::hold(const void* begin, const char* why) {
  pin(1);
  const std::lock_guard lock(mutex_);
  Hold& hold = holds_[begin];
  hold.why = why;
  ++hold.count;
  known_.store(holds_.size(), std::memory_order_release);
}

void HeldArrays::release(const void* begin) {
  const std::lock_guard lock(mutex_);
  const auto found = holds_.find(begin);
  if (found == holds_.end()) return;
  pin(-1);
  if (--found->second.count == 0) holds_.erase(found);
  known_.store(holds_.size(), std::memory_order_release);
}

bool HeldArrays::holds(const void* begin) const {
  if (known_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  return holds_.contains(begin);
}

const char* HeldArrays::whyOnHost(const muster_launch& launch) const {
  if (known_.load(std::memory_order_acquire) == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  for (unsigned i = 0; i < launch.kernel->n_arrays; ++i) {
    const auto extent = managedAddresses.extentOf(launch.arrays[i]);
    const auto hold = extent ? holds_.find(extent->begin) : holds_.end();
    if (hold != holds_.end()) return hold->second.why;
  }
  return nullptr;
}

HeldArrays& heldArrays() {
  static auto& arrays = *new HeldArrays;  // static destructors free windows
  return arrays;
}

}  // namespace muster::rt
