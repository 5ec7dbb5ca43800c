// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one implementation of host_memory.h, as the other files of this folder see it.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "host/memory/host_memory.h"
#include "host/space/address_table.h"
#include "host/space/page_access_map.h"
#include "host/space/private_heap.h"
#include "host/space/range_allocator.h"
#include "host/space/small_blocks.h"

namespace muster::rt {

class SharedMemory;

struct RowBlock;  // host/arrays/row_blocks.cpp

// Records are recycled and never given back to malloc: find() may hand one out while another thread releases it.
class HostArrayImpl final : public HostArray {
 public:
  [[nodiscard]] std::byte* user() const override { return user_ + inset_; }
  [[nodiscard]] std::byte* alias() const override { return alias_ + inset_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] bool mirrored() const override { return mirrored_.load(std::memory_order_acquire); }
  [[nodiscard]] std::vector<ByteRange> untouched(std::size_t lo, std::size_t hi, std::size_t least) const override;

  void keepPages() override { keepsPages_.store(true, std::memory_order_release); }

  [[nodiscard]] const muster_array_site* site() const { return site_; }
  // Its memory is on its way into a shared mapping: who faults there waits, and tries again.
  [[nodiscard]] bool moving() const { return moving_.load(std::memory_order_acquire); }
  [[nodiscard]] bool adopted() const { return adopted_; }
  // Of the last watch(), if nobody has written the array since; else 0. Each has another number.
  [[nodiscard]] std::uint64_t watchNumber() const {
    return watch_.load(std::memory_order_acquire) == Watch::on ? watchNumber_.load(std::memory_order_acquire) : 0;
  }
  // False: it never was watched. Else it may be written from now on. Also in a signal handler.
  bool endWatch();
  // Counts the times that a page lost access: between two of them a thread that faults twice made no progress.
  [[nodiscard]] std::uint64_t revocations() const { return revocations_.load(std::memory_order_acquire); }
  RowBlock* rowBlock = nullptr;  // of a table of rows, or of the array of its rows

 private:
  friend class HostMemoryImpl;
  void beginMirroring();
  void endMirroring();
  std::byte* user_ = nullptr;  // whole pages; the array begins behind the inset
  std::byte* alias_ = nullptr;
  std::size_t inset_ = 0;
  std::size_t bytes_ = 0;
  std::size_t mapped_ = 0;  // in whole pages, at least inset_ and bytes_
  const muster_array_site* site_ = nullptr;
  bool adopted_ = false;
  bool recycled_ = false;  // its memory is the private heap's
  bool hidden_ = false;    // freed by the program, and kept
  std::atomic<bool> mirrored_{false};
  std::atomic<bool> moving_{false};
  std::atomic<bool> keepsPages_{false};
  enum class Watch : std::uint8_t { never, on, ended };
  std::atomic<Watch> watch_{Watch::never};
  std::atomic<std::uint64_t> watchNumber_{0};
  std::atomic<std::uint64_t> revocations_{0};
  mutable std::mutex pagesMutex_;
  std::optional<PageAccessMap> pages_;          // of a mirrored array
  std::shared_ptr<const SharedMemory> shared_;  // of some mirrored arrays: its file, to ask what was touched
  HostArrayImpl* previous_ = nullptr;           // in order of creation
  HostArrayImpl* next_ = nullptr;
};

struct AllocateOptions {
  std::size_t alignment = 1;
  bool mirrored = false;
  bool zero = true;  // false: what a released array left may be in it
  // Private, and used again and again, as malloc's memory is.
  bool recycled = false;
  // Besides, arrays of some pages begin at different places in their first ones. A processor takes a load for one of a
  // store before it where both addresses end alike (in 12 bits): loops over several arrays that all begin a page run
  // slower.
  bool staggered = false;
  const muster_array_site* site = nullptr;
};

class HostMemoryImpl final : public HostMemory {
 public:
  HostMemoryImpl();

  Result<HostArray*> allocate(std::size_t bytes, std::size_t alignment, bool mirrored) override;
  Result<HostArray*> adopt(void* storage, std::size_t bytes, bool mirrored) override;
  Status mirror(HostArray& array) override;
  void release(HostArray& array) override;
  [[nodiscard]] HostArray* find(const void* address) const override;
  [[nodiscard]] std::optional<ArrayExtent> extentOf(const void* address) const override;
  [[nodiscard]] bool contains(const void* address) const override;
  Status setAccess(HostArray& array, std::size_t lo, std::size_t hi, PageAccess access) override;
  Status limitAccess(HostArray& array, std::size_t lo, std::size_t hi, PageAccess most) override;
  [[nodiscard]] PageAccess access(const HostArray& array, std::size_t offset) const override;
  [[nodiscard]] std::size_t pageSize() const override { return pageSize_; }

  Result<HostArrayImpl*> allocate(std::size_t bytes, const AllocateOptions& options);
  Result<HostArrayImpl*> adopt(void* storage, std::size_t bytes, bool mirrored, const muster_array_site* site);
  [[nodiscard]] std::vector<HostArrayImpl*> arrays() const;
  // A small array that is recycled, without a record: at most SmallBlocks::kLargest bytes, aligned to
  // SmallBlocks::kAlignment.
  Result<std::byte*> allocateBlock(std::size_t bytes, bool zero, const muster_array_site* site);
  // False: there is no such block at this address.
  bool releaseBlock(BlockSpan& span, const void* address);
  // The array keeps its memory, but no address is found to be its own, nor is it among arrays().
  void hide(HostArrayImpl& array);
  Status show(HostArrayImpl& array, const muster_array_site& site);
  // What a mirrored array holds on the host is zero again, and of a large one untouched. Nobody may use it meanwhile.
  void clear(HostArrayImpl& array);
  // A private array that begins a page is read-only until the program writes it: the first write ends that
  // (watchNumber).
  Status watch(HostArrayImpl& array);
  // Another size for an array that is recycled, where it lies. False: it needs another place.
  bool resize(HostArrayImpl& array, std::size_t bytes);

  // Around a fork, so that the child's lock is free.
  void lockForFork();
  void unlockAfterFork();
  // In the child, under that lock: its arrays are its own from now on, and none is mirrored.
  Status takePrivateCopies();

  // Runs of equal pages of all mirrored arrays: about as many mappings as they cost the process.
  [[nodiscard]] std::size_t fragments() const { return fragments_.load(std::memory_order_relaxed); }
  // The first byte of [lo, hi) whose page has less than `access`.
  [[nodiscard]] std::optional<std::size_t> firstBelow(const HostArrayImpl& array, std::size_t lo, std::size_t hi,
                                                      PageAccess access) const;

 private:
  Status place(HostArrayImpl& array, const AllocateOptions& options);
  Status placeRecycled(HostArrayImpl& array, const AllocateOptions& options);
  Status placeMirrored(HostArrayImpl& array, std::size_t alignment);
  Result<std::byte*> takeRange(std::size_t mapped, std::size_t alignment);
  std::byte* takeSmall(std::size_t mapped, std::size_t alignment);
  void giveRange(std::byte* begin, std::size_t mapped);
  void giveBack(std::byte* begin, std::size_t mapped);
  void releaseRegion(HostArrayImpl& array);
  void releaseAdopted(HostArrayImpl& array);
  Status copyBack(HostArrayImpl& array, bool empties);
  // Both mappings are there, and all pages may be used.
  void becomeMirrored(HostArrayImpl& array, std::byte* alias, SharedMemory shared);
  // Keeps the file of a mirrored array's memory open if that is worth it.
  void keepFile(HostArrayImpl& array, SharedMemory shared);
  Status moveIntoShared(HostArrayImpl& array, const SharedMemory& shared, std::byte* alias);
  // Pages of [lo, hi), or why there are none to change; the caller holds the array's pagesMutex_.
  Result<PageRange> pagesOf(const HostArrayImpl& array, std::size_t lo, std::size_t hi) const;
  Status changePages(HostArrayImpl& array, PageRange pages, PageAccess access);
  HostArrayImpl* newRecord();
  [[nodiscard]] bool staggers(std::size_t bytes, const AllocateOptions& options) const;
  void recycle(HostArrayImpl& array);
  Status publish(HostArrayImpl& array);
  void withdraw(HostArrayImpl& array);

  const std::size_t pageSize_;
  Status reserved_;  // why there is no region, if there is none

  std::atomic<std::size_t> fragments_{0};

  mutable std::mutex mutex_;  // guards what follows; never held while user memory is touched that may be protected
  std::unique_ptr<RangeAllocator> slots_;
  std::map<std::byte*, RangeAllocator> slabs_;  // slots that smaller arrays share, in pages
  PrivateHeap heap_;
  SmallBlocks blocks_;
  std::size_t insets_ = 0;  // of all arrays so far
  std::deque<HostArrayImpl> records_;
  std::vector<HostArrayImpl*> unusedRecords_;
  HostArrayImpl* first_ = nullptr;
  HostArrayImpl* last_ = nullptr;
  std::size_t filesKept_ = 0;
};

HostMemoryImpl& hostMemoryImpl();

// Bounds and table of all managed memory; constant-initialised, so that free() may ask before any constructor has run.
struct ManagedAddresses {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> bytes{0};
  std::atomic<std::size_t> mirrored{0};  // arrays whose pages may be protected
  AddressTable table;

  [[nodiscard]] bool inRegion(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - begin.load(std::memory_order_relaxed) <
           bytes.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<ArrayExtent> extentOf(const void* address) const {
    const PageOwner owner = table.owner(address);
    if (const HostArrayImpl* array = owner.array()) return ArrayExtent{array->user(), array->bytes()};
    const BlockSpan* span = owner.span();
    return span != nullptr ? span->blockAt(address) : std::nullopt;
  }
};
extern ManagedAddresses managedAddresses;

inline void HostArrayImpl::beginMirroring() {
  managedAddresses.mirrored.fetch_add(1, std::memory_order_relaxed);
  mirrored_.store(true, std::memory_order_release);
}
inline void HostArrayImpl::endMirroring() {
  if (mirrored_.exchange(false, std::memory_order_acq_rel)) managedAddresses.mirrored.fetch_sub(1);
}

ArrayListener* arrayListener();

}  // namespace muster::rt
