// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that the program has already becomes an array's: static storage, and private arrays that are mirrored later.
#include <algorithm>
#include <cstring>

#include "host/memory/host_memory_impl.h"
#include "host/space/mapping.h"
#include "host/system/locked.h"
#include "muster/cdm/parts.h"

namespace muster::rt {

namespace {

constexpr std::size_t kMoveBlock = std::size_t{256} << 20;  // how much a move between mappings holds twice
constexpr std::size_t kPart = std::size_t{1} << 20;         // that a thread copies at a time

// Copies what is not zero, so that pages that the program never touched take no memory in the copy either. Pages get
// theirs together: one by one, at their first touch, that costs several times the copy.
void copySparse(std::byte* to, const std::byte* from, std::size_t bytes, std::size_t page) {
  const auto isZero = [&](std::size_t at) {
    return from[at] == std::byte{0} && std::memcmp(from + at, from + at + 1, page - 1) == 0;
  };
  for (std::size_t lo = 0, hi = 0; lo < bytes; lo = hi + page) {
    for (hi = lo; hi < bytes && !isZero(hi);) hi += page;
    if (hi == lo) continue;
    populate(to + lo, hi - lo);
    std::memcpy(to + lo, from + lo, hi - lo);
  }
}

// The same by several threads: pages that get their memory cost more than their copy.
void copySparseInParts(std::byte* to, const std::byte* from, std::size_t bytes, std::size_t page) {
  cdm::inParts(bytes, kPart, [=](std::size_t lo, std::size_t hi) { copySparse(to + lo, from + lo, hi - lo, page); });
}

}  // namespace

Result<HostArray*> HostMemoryImpl::adopt(void* storage, std::size_t bytes, bool mirrored) {
  auto array = adopt(storage, bytes, mirrored, nullptr);
  if (!array) return array.status();
  return static_cast<HostArray*>(*array);
}

Result<HostArrayImpl*> HostMemoryImpl::adopt(void* storage, std::size_t bytes, bool mirrored,
                                             const muster_array_site* site) {
  if (reinterpret_cast<std::uintptr_t>(storage) % pageSize_ != 0 || bytes == 0) {
    return Status(Errc::invalidArgument, "static storage must start on a page and not be empty");
  }
  HostArrayImpl* array = nullptr;
  {
    const Locked lock(mutex_);
    MUSTER_TRY(reserved_);
    array = newRecord();
    array->user_ = array->alias_ = static_cast<std::byte*>(storage);
    array->bytes_ = bytes;
    array->mapped_ = roundUp(bytes, pageSize_);
    array->site_ = site;
    array->adopted_ = true;
    if (Status status = publish(*array); !status.ok()) {
      recycle(*array);
      return status;
    }
  }
  if (!mirrored) return array;
  if (Status status = mirror(*array); !status.ok()) {
    release(*array);
    return status;
  }
  return array;
}

Status HostMemoryImpl::mirror(HostArray& array) {
  auto& impl = static_cast<HostArrayImpl&>(array);
  const Locked lock(mutex_);
  if (impl.mirrored()) return Status::success();
  if (impl.inset_ > 0) return {Errc::invalidArgument, "an array that does not begin a page cannot be mirrored"};
  auto shared = SharedMemory::create(impl.mapped_);
  if (!shared) return shared.status();
  std::byte* alias =
      reserveAddresses(impl.mapped_, impl.mapped_ >= AddressTable::kSlotBytes ? AddressTable::kSlotBytes : pageSize_);
  if (alias == nullptr) return {Errc::outOfMemory, "the host has not that much address space left"};
  Status status = shared->mapAt(alias, impl.mapped_, 0);
  if (status.ok()) {
    impl.moving_.store(true, std::memory_order_release);
    status = moveIntoShared(impl, *shared, alias);
  }
  if (!status.ok()) {
    // What was moved stays shared under the user's view, which is whole and as it was.
    impl.moving_.store(false, std::memory_order_release);
    unmap(alias, impl.mapped_);
    return status;
  }
  const Locked pagesLock(impl.pagesMutex_);
  becomeMirrored(impl, alias, std::move(*shared));
  impl.moving_.store(false, std::memory_order_release);
  return Status::success();
}

// Block by block, so that a large array is never held twice. Another thread of the program that writes meanwhile
// faults.
Status HostMemoryImpl::moveIntoShared(HostArrayImpl& array, const SharedMemory& shared, std::byte* alias) {
  for (std::size_t lo = 0; lo < array.mapped_; lo += kMoveBlock) {
    const std::size_t bytes = std::min(kMoveBlock, array.mapped_ - lo);
    MUSTER_TRY(protect(array.user_ + lo, bytes, PageAccess::read));
    copySparseInParts(alias + lo, array.user_ + lo, bytes, pageSize_);
    if (const Status status = shared.mapAt(array.user_ + lo, bytes, lo); !status.ok()) {
      MUSTER_TRY(protect(array.user_ + lo, bytes, PageAccess::readWrite));
      return status;
    }
  }
  return Status::success();
}

// The program goes on using its static storage.
void HostMemoryImpl::releaseAdopted(HostArrayImpl& array) {
  if (!array.mirrored()) return;
  if (const Status status = copyBack(array, true); !status.ok()) {
    panic("giving static storage back to the program: " + status.message());
  }
  unmap(array.alias_, array.mapped_);
}

// The user's view gets private pages with the same contents; `empties`: nobody else needs those of the alias.
Status HostMemoryImpl::copyBack(HostArrayImpl& array, bool empties) {
  for (std::size_t lo = 0; lo < array.mapped_; lo += kMoveBlock) {
    const std::size_t bytes = std::min(kMoveBlock, array.mapped_ - lo);
    std::byte* copy = reserveAddresses(bytes, pageSize_);
    if (copy == nullptr) return {Errc::outOfMemory, "the host has not that much address space left"};
    MUSTER_TRY(mapPrivate(copy, bytes));
    copySparseInParts(copy, array.alias_ + lo, bytes, pageSize_);
    MUSTER_TRY(moveMapping(copy, array.user_ + lo, bytes));
    if (empties) punchHole(array.alias_ + lo, bytes);
  }
  return Status::success();
}

}  // namespace muster::rt
