// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation and release of managed arrays, with the session told of each.
#include "host/arrays/managed_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "host/arrays/row_blocks.h"
#include "host/space/mapping.h"
#include "host/system/runtime_section.h"
#include "host/system/session_use.h"
#include "muster/cdm/text.h"

namespace muster::rt {

namespace {

std::atomic<ArrayListener*> listener{nullptr};

std::string place(const muster_array_site* site) {
  if (site == nullptr) return "an array of the runtime";
  return std::string(site->loc.file) + ":" + std::to_string(site->loc.line) + ": array '" + site->name + "'";
}

[[noreturn]] void endProgram(const std::string& message) {
  std::fprintf(stderr, "muster: %s\n", message.c_str());
  std::abort();
}

// new T[n] does not say how T is aligned; at most as its size is.
bool mayBeOverAligned(const muster_array_site& site) {
  constexpr std::uint32_t kStaggeredAlignment = 64;
  return site.elem_size != 0 && site.elem_size % (2 * kStaggeredAlignment) == 0;
}

[[noreturn]] void endForWrongPointer(const void* pointer, const char* call) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", pointer);
  const std::optional<ArrayExtent> extent = managedAddresses.extentOf(pointer);
  if (!extent) endProgram(std::string(call) + " of " + address + ", which is no managed array now: freed before?");
  const PageOwner owner = managedAddresses.table.owner(pointer);
  endProgram(place(owner.array() != nullptr ? owner.array()->site() : owner.span()->siteAt(pointer)) + ": " + call +
             " of " + address + ", which was not allocated: it is byte " +
             std::to_string(static_cast<const std::byte*>(pointer) - extent->begin) + " of the array");
}

HostArrayImpl& arrayStartingAt(void* pointer, const char* call) {
  HostArrayImpl* array = managedAddresses.table.find(pointer);
  if (array == nullptr || array->user() != pointer || !managedAddresses.inRegion(pointer))
    endForWrongPointer(pointer, call);
  return *array;
}

void releaseForGood(ArrayListener* session, HostArray& array) {
  if (session != nullptr && array.mirrored()) session->aboutToRelease(array);
  hostMemoryImpl().release(array);
}

void releaseAll(ArrayListener& session, const std::vector<HostArray*>& arrays) {
  for (HostArray* array : arrays) releaseForGood(&session, *array);
}

void release(HostArrayImpl& array) {
  const SessionUse use;
  ArrayListener* session = arrayListener();
  const bool mayBeKept = session != nullptr && array.mirrored() && !array.adopted() && array.rowBlock == nullptr;
  if (!mayBeKept || !session->parks(array)) return releaseForGood(session, array);
  hostMemoryImpl().hide(array);
  session->park(array);
  releaseAll(*session, session->surplus());
}

// An array that was freed, or nullptr.
HostArrayImpl* keptArray(ArrayListener& session, const muster_array_site& site, std::size_t bytes,
                         const AllocateOptions& options) {
  auto* array = static_cast<HostArrayImpl*>(session.unpark(&site, bytes, options.alignment));
  if (array == nullptr) return nullptr;
  if (!hostMemoryImpl().show(*array, site).ok()) {
    releaseForGood(&session, *array);
    return nullptr;
  }
  if (options.zero) {
    session.hostAccess(*array, 0, bytes, MUSTER_WRITE);
    hostMemoryImpl().clear(*array);
  }
  return array;
}

// There may be room then for what there was none for. False: nothing was kept.
bool releaseKeptArrays(ArrayListener* session) {
  if (session == nullptr) return false;
  const std::vector<HostArray*> kept = session->unparkAll();
  releaseAll(*session, kept);
  return !kept.empty();
}

// The session that new arrays belong to; nullptr: none, or they are a chunk's own.
ArrayListener* sessionOfArrays() {
  ArrayListener* session = arrayListener();
  return session != nullptr && session->insideChunk() ? nullptr : session;
}

// Once there is a session, what it does not want mirrored is private, and so is what is a chunk's own.
bool isPrivate(ArrayListener* session) {
  return session != nullptr ? !session->wantsMirrored() : arrayListener() != nullptr;
}

bool mayMirrorLater(ArrayListener* session) { return session != nullptr && session->mayMirrorLater(); }

// A small array takes a page where devices may want it later: only the first ones do, as those that loops share are. Of
// others devices get copies at launches, as of arrays that are not managed.
bool takesPage(ArrayListener* session) {
  constexpr unsigned kMost = 1000;
  static std::atomic<unsigned> taken{0};
  return mayMirrorLater(session) && taken.fetch_add(1, std::memory_order_relaxed) < kMost;
}

void* noRoom(const muster_array_site& site, std::size_t bytes, const Status& status) {
  std::fprintf(stderr, "muster: %s of %s: %s\n", place(&site).c_str(), cdm::formatByteCount(bytes).c_str(),
               status.message().c_str());
  return nullptr;
}

bool fitsBlock(const muster_array_site& site, std::size_t bytes, std::size_t alignment) {
  return bytes <= SmallBlocks::kLargest && alignment <= SmallBlocks::kAlignment && !mayBeOverAligned(site);
}

}  // namespace

void setArrayListener(ArrayListener* session) { listener.store(session, std::memory_order_release); }

ArrayListener* arrayListener() { return listener.load(std::memory_order_acquire); }

void forEachArray(const std::function<void(HostArray&, const muster_array_site*)>& visit) {
  for (HostArrayImpl* array : hostMemoryImpl().arrays())
    if (!isTable(*array)) visit(*array, array->site());
}

HostArrayImpl* allocateArray(const muster_array_site& site, std::size_t bytes, std::size_t alignment, bool zero) {
  const AllocationScopePause pause;
  const SessionUse use;
  ArrayListener* session = sessionOfArrays();
  AllocateOptions options;
  options.alignment = alignment;
  options.mirrored = session != nullptr && session->wantsMirrored();
  options.recycled = isPrivate(session);
  options.staggered = !mayBeOverAligned(site) && !mayMirrorLater(session);
  options.zero = zero;
  options.site = &site;
  if (options.mirrored) {
    if (HostArrayImpl* kept = keptArray(*session, site, bytes, options)) return kept;
  }
  auto array = hostMemoryImpl().allocate(bytes, options);
  if (!array && releaseKeptArrays(session)) array = hostMemoryImpl().allocate(bytes, options);
  if (!array) {
    noRoom(site, bytes, array.status());
    return nullptr;
  }
  if (session == nullptr) return *array;
  if (!options.mirrored) {
    session->createdPrivate(&site, bytes);
    return *array;
  }
  session->created(**array, &site, bytes);
  releaseAll(*session, session->surplus());
  return *array;
}

void* allocateManaged(const muster_array_site& site, std::size_t bytes, std::size_t alignment, bool zero) {
  const AllocationScopePause pause;
  ArrayListener* session = sessionOfArrays();
  if (!isPrivate(session) || !fitsBlock(site, bytes, alignment) || takesPage(session)) {
    HostArrayImpl* array = allocateArray(site, bytes, alignment, zero);
    return array != nullptr ? array->user() : nullptr;
  }
  const auto block = hostMemoryImpl().allocateBlock(bytes, zero, &site);
  if (!block) return noRoom(site, bytes, block.status());
  if (session != nullptr) session->createdPrivate(&site, bytes);
  return *block;
}

void releaseManaged(void* pointer) {
  const AllocationScopePause pause;
  if (BlockSpan* span = managedAddresses.table.owner(pointer).span()) {
    if (!hostMemoryImpl().releaseBlock(*span, pointer)) endForWrongPointer(pointer, "free()");
    return;
  }
  if (!releaseRows(pointer)) release(arrayStartingAt(pointer, "free()"));
}

namespace {

void* reallocateBlock(const BlockSpan& span, void* pointer, std::size_t bytes) {
  const std::optional<ArrayExtent> block = span.blockAt(pointer);
  if (!block || block->begin != pointer) endForWrongPointer(pointer, "realloc()");
  if (bytes <= SmallBlocks::kLargest && SmallBlocks::strideOf(bytes) == block->bytes) return pointer;
  void* moved = allocateManaged(*span.siteAt(pointer), bytes, 1, false);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, pointer, std::min(bytes, block->bytes));
  releaseManaged(pointer);
  return moved;
}

void* reallocateArray(HostArrayImpl& old, std::size_t bytes) {
  if (hostMemoryImpl().resize(old, bytes)) return old.user();
  const std::size_t kept = std::min(bytes, old.bytes());
  void* grown = old.site() != nullptr ? allocateManaged(*old.site(), bytes, 1, false) : nullptr;
  if (grown == nullptr) return nullptr;
  if (kept > 0) {
    muster_host_access(old.user(), kept, MUSTER_READ);
    muster_host_access(grown, kept, MUSTER_WRITE);
    std::memcpy(grown, old.user(), kept);
  }
  release(old);
  return grown;
}

}  // namespace

void* reallocateManaged(void* pointer, std::size_t bytes) {
  const AllocationScopePause pause;
  void* fresh = nullptr;
  if (const BlockSpan* span = managedAddresses.table.owner(pointer).span())
    fresh = reallocateBlock(*span, pointer, bytes);
  else if (const auto rows = reallocateRows(pointer, bytes))
    fresh = *rows;
  else
    fresh = reallocateArray(arrayStartingAt(pointer, "realloc()"), bytes);
  if (fresh == nullptr) errno = ENOMEM;
  return fresh;
}

void* allocateInScope(Allocating what, std::size_t bytes, std::size_t alignment, bool zero) {
  AllocationScopeEntry* scope = threadState.allocationScope;
  if (scope == nullptr || bytes < scope->minBytes || threadState.runtimeSections > 0) return nullptr;
  if (scope->isPlace) return bytes == scope->minBytes ? std::exchange(scope->place, nullptr) : nullptr;
  // A vector's buffer comes from operator new, an array's does not.
  if (what == (scope->arrays ? Allocating::object : Allocating::bytes)) return nullptr;
  return allocateManaged(*scope->site, bytes, alignment, zero);
}

}  // namespace muster::rt
