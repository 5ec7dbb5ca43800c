// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory that the program has freed may be kept for its next arrays (docs/decisions/0022): what lives and what
// is kept take together at most a quarter more than the program had at a time, a short time ago. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "muster/cdm/host_allocation.h"

namespace muster::rt {

class KeptMemory {
 public:
  // Always.
  static constexpr std::size_t kSpareBytes = std::size_t{64} << 20;
  // A quarter, since phases of a time step have arrays of other sizes in turn (LULESH: a sixth more than the phase that
  // has the most).
  static constexpr std::size_t spareBeyond(std::size_t most) { return std::max(kSpareBytes, most / 4); }
  // So many allocations are a short time: more than a time step has, and few enough to notice that a phase is over.
  static constexpr std::uint64_t kShortTime = 4096;

  // mostBytes: of all that is kept, if not less than kSpareBytes.
  explicit KeptMemory(std::size_t mostBytes) : mostBytes_(std::max(mostBytes, kSpareBytes)) {}

  void noteAllocated(std::size_t bytes) {
    live_ += bytes;
    if (++allocations_ % kShortTime == 0) {
      mostBefore_ = most_;
      most_ = 0;
    }
    most_ = std::max(most_, live_);
  }
  void noteFreed(std::size_t bytes) { live_ -= bytes; }

  [[nodiscard]] std::size_t live() const { return live_; }
  [[nodiscard]] std::uint64_t allocations() const { return allocations_; }
  // Bytes that may be kept now.
  [[nodiscard]] std::size_t room() const {
    const std::size_t most = std::max(most_, mostBefore_);
    return std::min(most - std::min(most, live_) + spareBeyond(most), mostBytes_);
  }

 private:
  const std::size_t mostBytes_;
  std::size_t live_ = 0;
  std::size_t most_ = 0, mostBefore_ = 0;  // of live_, in this short time and in the one before
  std::uint64_t allocations_ = 0;
};

// Of the host's memory: not so much that the program would miss it.
inline std::size_t mostKeptMemory() { return cdm::hostMemoryBytes() / 8; }

}  // namespace muster::rt
