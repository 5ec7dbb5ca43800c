// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned host memory for transfers: a GPU reads it at full speed and while the host goes on. Slots are kept and
// used again; their number is bounded, so that a large transfer becomes a pipeline over a few of them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "stream/driver.h"

namespace muster::cdm {

class Staging {
 public:
  static constexpr std::size_t smallSlot = std::size_t{64} << 10, largeSlot = std::size_t{4} << 20;
  static constexpr std::size_t smallSlots = 64, largeSlots = 8;

  struct Slot {
    PinnedMemory memory;
    std::size_t bytes = 0;
    bool busy = false;
    [[nodiscard]] std::byte* address() const { return memory.get(); }
  };

  explicit Staging(Driver& driver) : driver_(driver) {}

  // A slot for at most `bytes` (maybe fewer: look at Slot::bytes), or nullptr if all are busy.
  Result<Slot*> acquire(std::size_t bytes);
  static void release(Slot* slot) { slot->busy = false; }

 private:
  Driver& driver_;
  std::vector<std::unique_ptr<Slot>> small_, large_;
};

}  // namespace muster::cdm
