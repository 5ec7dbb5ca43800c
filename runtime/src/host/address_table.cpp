// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers of the address table. A slot that once was shared keeps its leaf for good, so that a reader which holds the
// leaf's address can never see another slot's pages in it.
#include "host/address_table.h"

#include <sys/mman.h>

#include <algorithm>

namespace muster::rt {

namespace {

// Zero pages that the kernel brings when they are touched; not from malloc, whose users may be our callers.
void* reserveZeroed(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

Status AddressTable::open() {
  const std::size_t bytes = (std::size_t{1} << kAddressBits) / kSlotBytes * sizeof(std::uintptr_t);
  void* memory = reserveZeroed(bytes);
  if (memory == nullptr) {
    return {Errc::outOfMemory, "cannot reserve 512 MB of address space for the table of managed arrays"};
  }
  slots_.store(static_cast<std::atomic<std::uintptr_t>*>(memory), std::memory_order_release);
  return Status::success();
}

Status AddressTable::makeLeaf(std::size_t slot) {
  std::atomic<std::uintptr_t>& entry = slots_.load(std::memory_order_relaxed)[slot];
  if ((entry.load(std::memory_order_relaxed) & kLeafTag) != 0) return Status::success();
  void* leaf = reserveZeroed(sizeof(Leaf));
  if (leaf == nullptr) return {Errc::outOfMemory, "no memory for the table of managed arrays"};
  entry.store(reinterpret_cast<std::uintptr_t>(leaf) | kLeafTag, std::memory_order_release);
  return Status::success();
}

Status AddressTable::set(std::uintptr_t lo, std::uintptr_t hi, PageOwner owner) {
  if (lo % kSlotBytes != 0) MUSTER_TRY(makeLeaf(lo / kSlotBytes));
  if (hi % kSlotBytes != 0) MUSTER_TRY(makeLeaf(hi / kSlotBytes));
  std::atomic<std::uintptr_t>* slots = slots_.load(std::memory_order_relaxed);
  while (lo < hi) {
    const std::size_t slot = lo / kSlotBytes;
    const std::uintptr_t end = std::min(hi, (slot + 1) * kSlotBytes);
    const std::uintptr_t entry = slots[slot].load(std::memory_order_relaxed);
    if ((entry & kLeafTag) == 0) {
      slots[slot].store(owner.value_, std::memory_order_release);
    } else {
      auto* leaf = reinterpret_cast<Leaf*>(entry & ~kLeafTag);
      for (; lo < end; lo += kPageBytes) {
        leaf->pages[lo % kSlotBytes / kPageBytes].store(owner.value_, std::memory_order_release);
      }
    }
    lo = end;
  }
  return Status::success();
}

}  // namespace muster::rt
