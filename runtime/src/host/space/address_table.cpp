// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers of the address table. A slot that once was shared keeps its leaf for good, so that a reader which holds the
// leaf's address can never see another slot's pages in it.
#include "host/space/address_table.h"

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
  void* memory = reserveZeroed((std::size_t{1} << kAddressBits) / kDirectoryBytes * sizeof(Directory*));
  if (memory == nullptr) return {Errc::outOfMemory, "no address space for the table of managed arrays"};
  directories_.store(static_cast<std::atomic<Directory*>*>(memory), std::memory_order_release);
  return Status::success();
}

Status AddressTable::makeDirectories(std::uintptr_t lo, std::uintptr_t hi) {
  std::atomic<Directory*>* directories = directories_.load(std::memory_order_relaxed);
  for (std::size_t at = lo / kDirectoryBytes; at * kDirectoryBytes < hi; ++at) {
    if (directories[at].load(std::memory_order_relaxed) != nullptr) continue;
    void* made = reserveZeroed(sizeof(Directory));
    if (made == nullptr) return {Errc::outOfMemory, "no memory for the table of managed arrays"};
    directories[at].store(static_cast<Directory*>(made), std::memory_order_release);
  }
  return Status::success();
}

std::atomic<std::uintptr_t>& AddressTable::slotOf(std::uintptr_t address) {
  Directory* directory =
      directories_.load(std::memory_order_relaxed)[address / kDirectoryBytes].load(std::memory_order_relaxed);
  return directory->slots[address % kDirectoryBytes / kSlotBytes];
}

Status AddressTable::makeLeaf(std::atomic<std::uintptr_t>& slot) {
  if ((slot.load(std::memory_order_relaxed) & kLeafTag) != 0) return Status::success();
  void* leaf = reserveZeroed(sizeof(Leaf));
  if (leaf == nullptr) return {Errc::outOfMemory, "no memory for the table of managed arrays"};
  slot.store(reinterpret_cast<std::uintptr_t>(leaf) | kLeafTag, std::memory_order_release);
  return Status::success();
}

Status AddressTable::set(std::uintptr_t lo, std::uintptr_t hi, PageOwner owner) {
  MUSTER_TRY(makeDirectories(lo, hi));
  if (lo % kSlotBytes != 0) MUSTER_TRY(makeLeaf(slotOf(lo)));
  if (hi % kSlotBytes != 0) MUSTER_TRY(makeLeaf(slotOf(hi)));
  while (lo < hi) {
    std::atomic<std::uintptr_t>& slot = slotOf(lo);
    const std::uintptr_t end = std::min(hi, (lo / kSlotBytes + 1) * kSlotBytes);
    const std::uintptr_t entry = slot.load(std::memory_order_relaxed);
    if ((entry & kLeafTag) == 0) {
      slot.store(owner.value_, std::memory_order_release);
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
