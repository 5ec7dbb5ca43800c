// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/program/held_arrays.h"

#include "host/arrays/managed_memory.h"

namespace muster::rt {

bool HeldArrays::hold(const void* begin, const char* why) {
  pin(1);
  const std::lock_guard lock(mutex_);
  Hold& hold = holds_[begin];
  hold.why = why;
  known_.store(holds_.size(), std::memory_order_release);
  return ++hold.count == 1;
}

void HeldArrays::release(const void* begin) {
  const std::lock_guard lock(mutex_);
  const auto found = holds_.find(begin);
  if (found == holds_.end()) return;
  pin(-1);
  if (--found->second.count == 0) holds_.erase(found);
  known_.store(holds_.size(), std::memory_order_release);
}

std::vector<const void*> HeldArrays::heldOf(const muster_launch& launch) const {
  std::vector<const void*> held;
  if (known_.load(std::memory_order_acquire) == 0) return held;
  const std::lock_guard lock(mutex_);
  for (unsigned i = 0; i < launch.kernel->n_arrays; ++i) {
    const auto extent = managedAddresses.extentOf(launch.arrays[i]);
    if (extent && holds_.contains(extent->begin)) held.push_back(extent->begin);
  }
  return held;
}

const char* HeldArrays::whyOnHost(const muster_launch& launch) const {
  const std::vector<const void*> held = heldOf(launch);
  if (held.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = holds_.find(held.front());
  return found == holds_.end() ? nullptr : found->second.why;
}

void HeldArrays::reopen(const muster_launch& launch) const {
  for (const void* begin : heldOf(launch)) muster_host_access(begin, SIZE_MAX, MUSTER_READ | MUSTER_WRITE);
}

HeldArrays& heldArrays() {
  static HeldArrays arrays;
  return arrays;
}

}  // namespace muster::rt
