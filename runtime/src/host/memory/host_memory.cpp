// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where arrays lie: ranges of the reserved region, private or mirrored.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "host/memory/host_memory_impl.h"
#include "host/space/address_region.h"
#include "host/space/mapping.h"
#include "host/system/locked.h"
#include "muster/cdm/text.h"

namespace muster::rt {

namespace {

constexpr std::size_t kSlot = AddressTable::kSlotBytes;
constexpr std::size_t kLargestRegion = std::size_t{4} << 40;
constexpr std::size_t kSmallestRegion = std::size_t{4} << 30;
constexpr std::size_t kRegionAlignment = std::size_t{1} << 30;  // the largest alignment of an array
constexpr std::size_t kLine = 64;                               // alignment of arrays that begin inside of a page
constexpr std::size_t kInsetStep = 25 * kLine;                  // the golden section of 4 KiB: all far from one another
constexpr std::size_t kLeastPunched = std::size_t{64} << 10;    // less is written sooner
constexpr std::size_t kLeastKept = std::size_t{1} << 20;        // smaller arrays are copied soon enough

std::uintptr_t addressOf(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

constinit ManagedAddresses managedAddresses;

HostMemoryImpl::HostMemoryImpl()
    : pageSize_(systemPageSize()),
      heap_(pageSize_, mostKeptMemory(), [this](std::size_t bytes) { return takeRange(bytes, kSlot); }),
      blocks_(heap_, managedAddresses.table) {
  reserved_ = managedAddresses.table.open();
  if (!reserved_.ok()) return;
  const auto region = reserveRegion(kLargestRegion, kSmallestRegion, kRegionAlignment);
  if (!region) {
    reserved_ = {Errc::outOfMemory,
                 "cannot reserve " + cdm::formatByteCount(kSmallestRegion) + " of address space for managed arrays"};
    return;
  }
  slots_ = std::make_unique<RangeAllocator>(region->bytes / kSlot);
  managedAddresses.begin.store(addressOf(region->begin), std::memory_order_relaxed);
  managedAddresses.bytes.store(region->bytes, std::memory_order_release);
}

// ---------------------------------------------------------------- ranges of the region

Result<std::byte*> HostMemoryImpl::takeRange(std::size_t mapped, std::size_t alignment) {
  MUSTER_TRY(reserved_);
  const std::size_t regionBytes = managedAddresses.bytes.load(std::memory_order_relaxed);
  if (alignment > kRegionAlignment) return Status(Errc::outOfMemory, "an alignment of more than 1 GiB is not possible");
  if (mapped >= regionBytes) {
    return Status(Errc::outOfMemory, "the host has not that much address space: " + cdm::formatByteCount(regionBytes) +
                                         " are reserved for managed arrays");
  }
  if (mapped < kSlot && alignment <= kSlot) {
    if (std::byte* range = takeSmall(mapped, alignment)) return range;
  }
  // One page more than the array has stays without memory, so that running over its end is caught.
  const std::size_t count = roundUp(mapped + pageSize_, kSlot) / kSlot;
  const auto slot = slots_->take(count, std::max<std::size_t>(1, alignment / kSlot));
  if (!slot) {
    return Status(Errc::outOfMemory, "the host has not that much address space left: " +
                                         cdm::formatByteCount(slots_->available() * kSlot) + " of " +
                                         cdm::formatByteCount(regionBytes) + " for managed arrays are free, in parts");
  }
  auto* region = reinterpret_cast<std::byte*>(managedAddresses.begin.load(std::memory_order_relaxed));
  return region + *slot * kSlot;
}

std::byte* HostMemoryImpl::takeSmall(std::size_t mapped, std::size_t alignment) {
  const std::size_t pages = mapped / pageSize_;
  const std::size_t alignmentPages = std::max<std::size_t>(1, alignment / pageSize_);
  for (auto& [base, free] : slabs_) {
    if (free.available() < pages) continue;
    if (const auto page = free.take(pages, alignmentPages)) return base + *page * pageSize_;
  }
  const auto slot = slots_->take(1, 1);
  if (!slot) return nullptr;
  auto* base = reinterpret_cast<std::byte*>(managedAddresses.begin.load(std::memory_order_relaxed)) + *slot * kSlot;
  auto& slab = slabs_.emplace(base, RangeAllocator(kSlot / pageSize_)).first->second;
  return base + *slab.take(pages, alignmentPages) * pageSize_;
}

void HostMemoryImpl::giveRange(std::byte* begin, std::size_t mapped) {
  const std::uintptr_t region = managedAddresses.begin.load(std::memory_order_relaxed);
  const std::size_t slot = (addressOf(begin) - region) / kSlot;
  const auto slab = slabs_.find(reinterpret_cast<std::byte*>(region + slot * kSlot));
  if (slab == slabs_.end()) {
    slots_->give(slot, roundUp(mapped + pageSize_, kSlot) / kSlot);
    return;
  }
  slab->second.give(static_cast<std::size_t>(begin - slab->first) / pageSize_, mapped / pageSize_);
  if (slab->second.unused()) {
    slabs_.erase(slab);
    slots_->give(slot, 1);
  }
}

void HostMemoryImpl::giveBack(std::byte* begin, std::size_t mapped) {
  if (const Status status = mapNothing(begin, mapped); !status.ok()) {
    // Too many mappings to split one more: the range keeps its addresses and is not used again, its memory goes.
    discard(begin, mapped);
    return;
  }
  giveRange(begin, mapped);
}

// ---------------------------------------------------------------- records

HostArrayImpl* HostMemoryImpl::newRecord() {
  if (unusedRecords_.empty()) return &records_.emplace_back();
  HostArrayImpl* array = unusedRecords_.back();
  unusedRecords_.pop_back();
  return array;
}

void HostMemoryImpl::recycle(HostArrayImpl& array) {
  if (array.pages_) fragments_.fetch_sub(array.pages_->runs(), std::memory_order_relaxed);
  array.user_ = array.alias_ = nullptr;
  array.inset_ = array.bytes_ = array.mapped_ = 0;
  array.site_ = nullptr;
  array.adopted_ = array.recycled_ = array.hidden_ = false;
  array.endMirroring();
  array.watch_ = HostArrayImpl::Watch::never;
  array.pages_.reset();
  if (array.shared_ != nullptr) --filesKept_;
  array.shared_.reset();
  array.owner = nullptr;
  array.rowBlock = nullptr;
  unusedRecords_.push_back(&array);
}

Status HostMemoryImpl::publish(HostArrayImpl& array) {
  const std::uintptr_t begin = addressOf(array.user_);
  MUSTER_TRY(managedAddresses.table.set(begin, begin + array.mapped_, PageOwner(&array)));
  array.previous_ = last_;
  array.next_ = nullptr;
  (last_ != nullptr ? last_->next_ : first_) = &array;
  last_ = &array;
  return Status::success();
}

void HostMemoryImpl::withdraw(HostArrayImpl& array) {
  const std::uintptr_t begin = addressOf(array.user_);
  if (const Status status = managedAddresses.table.set(begin, begin + array.mapped_, PageOwner()); !status.ok()) {
    panic("taking an array out of the table: " + status.message());
  }
  (array.previous_ != nullptr ? array.previous_->next_ : first_) = array.next_;
  (array.next_ != nullptr ? array.next_->previous_ : last_) = array.previous_;
}

void HostMemoryImpl::hide(HostArrayImpl& array) {
  const Locked lock(mutex_);
  withdraw(array);
  array.hidden_ = true;
}

Status HostMemoryImpl::show(HostArrayImpl& array, const muster_array_site& site) {
  const Locked lock(mutex_);
  array.site_ = &site;
  MUSTER_TRY(publish(array));
  array.hidden_ = false;
  return Status::success();
}

void HostMemoryImpl::clear(HostArrayImpl& array) {
  if (array.mapped_ >= kLeastPunched && !array.keepsPages_)
    punchHole(array.alias_, array.mapped_);
  else
    std::memset(array.alias_, 0, array.mapped_);
}

std::vector<HostArrayImpl*> HostMemoryImpl::arrays() const {
  const Locked lock(mutex_);
  std::vector<HostArrayImpl*> all;
  for (HostArrayImpl* array = first_; array != nullptr; array = array->next_) all.push_back(array);
  return all;
}

// ---------------------------------------------------------------- allocation

Result<HostArray*> HostMemoryImpl::allocate(std::size_t bytes, std::size_t alignment, bool mirrored) {
  auto array = allocate(bytes, AllocateOptions{.alignment = alignment, .mirrored = mirrored});
  if (!array) return array.status();
  return static_cast<HostArray*>(*array);
}

Result<HostArrayImpl*> HostMemoryImpl::allocate(std::size_t bytes, const AllocateOptions& options) {
  if (!std::has_single_bit(options.alignment)) return Status(Errc::invalidArgument, "the alignment is no power of two");
  if (bytes > kLargestRegion) return Status(Errc::outOfMemory, "the host has not that much address space");
  const Locked lock(mutex_);
  HostArrayImpl* array = newRecord();
  array->bytes_ = bytes;
  // As much for every inset, so that an array can have the retained range of another one of its size.
  const std::size_t room = staggers(bytes, options) ? pageSize_ - kLine : 0;
  if (room > 0) array->inset_ = insets_++ * kInsetStep % pageSize_;
  // Its end is no other array's beginning: a pointer to it belongs to this one.
  array->mapped_ = roundUp(bytes + room + 1, pageSize_);
  array->site_ = options.site;
  Status status = place(*array, options);
  if (status.ok()) {
    status = publish(*array);
    if (status.ok()) return array;
    releaseRegion(*array);
  }
  recycle(*array);
  return status;
}

// Large arrays begin large pages, as the C library's mappings begin pages.
bool HostMemoryImpl::staggers(std::size_t bytes, const AllocateOptions& options) const {
  return options.recycled && options.staggered && options.alignment <= kLine && bytes >= pageSize_ &&
         bytes + pageSize_ <= kSlot;
}

Status HostMemoryImpl::place(HostArrayImpl& array, const AllocateOptions& options) {
  if (options.mirrored) return placeMirrored(array, options.alignment);
  // Where address space is limited, large arrays give it back when they are freed, as malloc's do.
  if (options.recycled && options.alignment <= kSlot &&
      (array.mapped_ <= PrivateHeap::kLarge || !addressesAreCounted()))
    return placeRecycled(array, options);
  auto range = takeRange(array.mapped_, options.alignment);
  if (!range) return range.status();
  if (Status status = mapPrivate(*range, array.mapped_); !status.ok()) {
    giveBack(*range, array.mapped_);  // a mapping that fails may have taken the reservation away
    return status;
  }
  array.user_ = array.alias_ = *range;
  return Status::success();
}

Status HostMemoryImpl::placeRecycled(HostArrayImpl& array, const AllocateOptions& options) {
  const auto range = heap_.take(array.mapped_, array.mapped_ >= kSlot ? kSlot : options.alignment);
  if (!range) return range.status();
  array.user_ = array.alias_ = range->begin;
  array.recycled_ = true;
  if (options.zero && !range->zero) PrivateHeap::clear(range->begin, array.mapped_);
  return Status::success();
}

Result<std::byte*> HostMemoryImpl::allocateBlock(std::size_t bytes, bool zero, const muster_array_site* site) {
  const Locked lock(mutex_);
  return blocks_.take(bytes, zero, site);
}

bool HostMemoryImpl::releaseBlock(BlockSpan& span, const void* address) {
  const Locked lock(mutex_);
  const std::optional<ArrayExtent> block = span.blockAt(address);
  if (!block || block->begin != address) return false;
  blocks_.give(span, block->begin);
  return true;
}

bool HostMemoryImpl::resize(HostArrayImpl& array, std::size_t bytes) {
  const Locked lock(mutex_);
  const std::size_t room = array.mapped_ - array.inset_;
  if (!array.recycled_ || array.mirrored() || bytes > room || bytes < room / 2) return false;
  array.bytes_ = bytes;
  return true;
}

Status HostMemoryImpl::placeMirrored(HostArrayImpl& array, std::size_t alignment) {
  auto shared = SharedMemory::create(array.mapped_);
  if (!shared) return shared.status();
  auto range = takeRange(array.mapped_, alignment);
  if (!range) return range.status();
  std::byte* alias = reserveAddresses(array.mapped_, array.mapped_ >= kSlot ? kSlot : pageSize_);
  Status status = alias == nullptr ? Status(Errc::outOfMemory, "the host has not that much address space left")
                                   : shared->mapAt(alias, array.mapped_, 0);
  if (status.ok()) status = shared->mapAt(*range, array.mapped_, 0);
  if (!status.ok()) {
    if (alias != nullptr) unmap(alias, array.mapped_);
    giveBack(*range, array.mapped_);
    return status;
  }
  array.user_ = *range;
  becomeMirrored(array, alias, std::move(*shared));
  return Status::success();
}

void HostMemoryImpl::becomeMirrored(HostArrayImpl& array, std::byte* alias, SharedMemory shared) {
  array.alias_ = alias;
  array.pages_.emplace(array.mapped_ / pageSize_, PageAccess::readWrite);
  fragments_.fetch_add(1, std::memory_order_relaxed);
  keepFile(array, std::move(shared));
  array.beginMirroring();
}

void HostMemoryImpl::keepFile(HostArrayImpl& array, SharedMemory shared) {
  if (array.mapped_ < kLeastKept || filesKept_ >= SharedMemory::mostKept() || !shared.keepAside()) return;
  array.shared_ = std::make_shared<const SharedMemory>(std::move(shared));
  ++filesKept_;
}

std::vector<ByteRange> HostArrayImpl::untouched(std::size_t lo, std::size_t hi, std::size_t least) const {
  if (shared_ == nullptr || lo > hi || hi > mapped_) return {};
  return shared_->untouched(lo, hi, least);
}

// ---------------------------------------------------------------- release

void HostMemoryImpl::release(HostArray& array) {
  auto& impl = static_cast<HostArrayImpl&>(array);
  const Locked lock(mutex_);
  if (!impl.hidden_) withdraw(impl);
  impl.endWatch();
  if (impl.adopted_) {
    releaseAdopted(impl);
  } else {
    releaseRegion(impl);
  }
  recycle(impl);
}

void HostMemoryImpl::releaseRegion(HostArrayImpl& array) {
  if (array.mirrored()) unmap(array.alias_, array.mapped_);
  if (!array.recycled_) {
    giveBack(array.user_, array.mapped_);
    return;
  }
  // The heap's ranges are private. Where that fails, this one is not used again.
  if (array.mirrored() && !mapPrivate(array.user_, array.mapped_).ok()) return;
  heap_.give(array.user_, array.mapped_);
}

// ---------------------------------------------------------------- lookup

HostArray* HostMemoryImpl::find(const void* address) const { return managedAddresses.table.find(address); }

std::optional<ArrayExtent> HostMemoryImpl::extentOf(const void* address) const {
  return managedAddresses.extentOf(address);
}

bool HostMemoryImpl::contains(const void* address) const {
  return managedAddresses.inRegion(address) || managedAddresses.table.find(address) != nullptr;
}

HostMemoryImpl& hostMemoryImpl() {
  // Static destructors free arrays: never destroyed.
  alignas(HostMemoryImpl) static std::byte storage[sizeof(HostMemoryImpl)];
  static auto& memory = *new (storage) HostMemoryImpl;
  return memory;
}

HostMemory& hostMemory() { return hostMemoryImpl(); }

}  // namespace muster::rt
