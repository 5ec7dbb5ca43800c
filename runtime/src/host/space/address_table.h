// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an address to the array that holds it, for the signal handler and for free(): a radix table over the whole user
// address space, 1 GiB directories above, 2 MiB slots in them, 4 KiB pages below where a slot is shared. A table and
// not a sorted snapshot, because readers need no protection from reclamation: a lookup is a few loads of memory that is
// never unmapped, it neither waits nor retries, and its cost does not grow with the number of arrays. It takes 1 MiB of
// address space on x86-64, 4 KiB for each GiB with arrays, and 4 KiB for each slot that is shared.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "muster/cdm/status.h"

namespace muster::rt {

class HostArrayImpl;
class BlockSpan;

// Whom pages belong to: an array, a span of small arrays (host/space/small_blocks.h), or nobody.
class PageOwner {
 public:
  constexpr PageOwner() = default;
  explicit PageOwner(HostArrayImpl* array) : value_(reinterpret_cast<std::uintptr_t>(array)) {}
  explicit PageOwner(BlockSpan* span) : value_(reinterpret_cast<std::uintptr_t>(span) | kSpanTag) {}

  // nullptr: it is none.
  [[nodiscard]] HostArrayImpl* array() const {
    return (value_ & kSpanTag) == 0 ? reinterpret_cast<HostArrayImpl*>(value_) : nullptr;
  }
  [[nodiscard]] BlockSpan* span() const {
    return (value_ & kSpanTag) != 0 ? reinterpret_cast<BlockSpan*>(value_ & ~kSpanTag) : nullptr;
  }

 private:
  friend class AddressTable;
  static constexpr std::uintptr_t kSpanTag = 2;
  std::uintptr_t value_ = 0;
};

class AddressTable {
 public:
  static constexpr std::size_t kSlotBytes = std::size_t{2} << 20;
  static constexpr std::size_t kPageBytes = 4096;

  // Usable in static storage before any constructor has run: finds nothing until open().
  constexpr AddressTable() = default;

  // Reserves the table. Before the other writers; once.
  Status open();
  // The pages of [lo, hi), multiples of kPageBytes, belong to `owner`. Writers are serialised by the caller.
  // outOfMemory: nothing was entered.
  Status set(std::uintptr_t lo, std::uintptr_t hi, PageOwner owner);
  // Any thread, also a signal handler; never blocks.
  [[nodiscard]] PageOwner owner(const void* address) const {
    PageOwner owner;
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    const std::atomic<Directory*>* directories = directories_.load(std::memory_order_acquire);
    if (directories == nullptr || (value >> kAddressBits) != 0) return owner;
    const Directory* directory = directories[value / kDirectoryBytes].load(std::memory_order_acquire);
    if (directory == nullptr) return owner;
    owner.value_ = directory->slots[value % kDirectoryBytes / kSlotBytes].load(std::memory_order_acquire);
    if ((owner.value_ & kLeafTag) == 0) return owner;
    const auto* leaf = reinterpret_cast<const Leaf*>(owner.value_ & ~kLeafTag);
    owner.value_ = leaf->pages[value % kSlotBytes / kPageBytes].load(std::memory_order_acquire);
    return owner;
  }
  [[nodiscard]] HostArrayImpl* find(const void* address) const { return owner(address).array(); }

 private:
  struct Leaf {
    std::atomic<std::uintptr_t> pages[kSlotBytes / kPageBytes];
  };
#ifdef __aarch64__
  static constexpr unsigned kAddressBits = 48;
#else
  static constexpr unsigned kAddressBits = 47;
#endif
  static constexpr std::uintptr_t kLeafTag = 1;

  static constexpr std::size_t kDirectoryBytes = std::size_t{1} << 30;
  struct Directory {
    std::atomic<std::uintptr_t> slots[kDirectoryBytes / kSlotBytes];
  };

  Status makeDirectories(std::uintptr_t lo, std::uintptr_t hi);
  // Of an address in a directory that exists.
  std::atomic<std::uintptr_t>& slotOf(std::uintptr_t address);
  Status makeLeaf(std::atomic<std::uintptr_t>& slot);

  std::atomic<std::atomic<Directory*>*> directories_{nullptr};
};

}  // namespace muster::rt
