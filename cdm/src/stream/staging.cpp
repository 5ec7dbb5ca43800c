// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool of pinned slots.
#include "stream/staging.h"

namespace muster::cdm {

Result<Staging::Slot*> Staging::acquire(std::size_t bytes) {
  const bool small = bytes <= smallSlot;
  auto& slots = small ? small_ : large_;
  for (const auto& slot : slots)
    if (!slot->busy) {
      slot->busy = true;
      return slot.get();
    }
  if (slots.size() >= (small ? smallSlots : largeSlots)) return static_cast<Slot*>(nullptr);
  const std::size_t room = small ? smallSlot : largeSlot;
  Result<PinnedMemory> memory = driver_.pinnedMemory(room);
  if (!memory) return memory.status();
  slots.push_back(std::make_unique<Slot>(Slot{std::move(*memory), room, true}));
  return slots.back().get();
}

}  // namespace muster::cdm
