// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that another library may read and write by their addresses at any time (muster/buffers.h), and how many calls
// of it rely on arrays staying where they are. Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "muster/abi.h"

namespace muster::rt {

class HeldArrays {
 public:
  // Private arrays must not move.
  [[nodiscard]] bool pinned() const { return pins_.load(std::memory_order_acquire) > 0; }
  void pin(int by) { pins_.fetch_add(by, std::memory_order_acq_rel); }

  // An array by its first byte.
  void hold(const void* begin, const char* why);
  void release(const void* begin);
  [[nodiscard]] bool holds(const void* begin) const;
  // Why a launch must run on the host: one of its arrays is held. nullptr: none is.
  [[nodiscard]] const char* whyOnHost(const muster_launch& launch) const;

 private:
  struct Hold {
    int count = 0;
    const char* why = nullptr;
  };
  std::atomic<int> pins_{0};
  std::atomic<std::size_t> known_{0};
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Hold> holds_;
};

HeldArrays& heldArrays();

}  // namespace muster::rt
