// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation and release of managed arrays, with the session told of each.
#include "host/managed_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "host/mapping.h"
#include "host/row_blocks.h"
#include "host/runtime_section.h"

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

HostArrayImpl& arrayStartingAt(void* pointer, const char* call) {
  HostArrayImpl* array = managedAddresses.table.find(pointer);
  char address[32];
  std::snprintf(address, sizeof address, "%p", pointer);
  if (array == nullptr) {
    endProgram(std::string(call) + " of " + address + ", which is no managed array now: freed before?");
  }
  if (array->user() != pointer || !managedAddresses.inRegion(pointer)) {
    endProgram(place(array->site()) + ": " + call + " of " + address + ", which was not allocated: it is byte " +
               std::to_string(static_cast<std::byte*>(pointer) - array->user()) + " of the array");
  }
  return *array;
}

void release(HostArrayImpl& array) {
  if (ArrayListener* session = arrayListener()) session->aboutToRelease(array);
  hostMemoryImpl().release(array);
}

}  // namespace

void setArrayListener(ArrayListener* session) { listener.store(session, std::memory_order_release); }

ArrayListener* arrayListener() { return listener.load(std::memory_order_acquire); }

void forEachArray(const std::function<void(HostArray&, const muster_array_site*)>& visit) {
  for (HostArrayImpl* array : hostMemoryImpl().arrays())
    if (!isTable(*array)) visit(*array, array->site());
}

void* allocateManaged(const muster_array_site& site, std::size_t bytes, std::size_t alignment, bool zero) {
  const AllocationScopePause pause;
  ArrayListener* session = arrayListener();
  if (session != nullptr && session->insideChunk()) session = nullptr;
  AllocateOptions options;
  options.alignment = alignment;
  options.mirrored = session != nullptr && session->wantsMirrored();
  // Once there is a session, what it does not want mirrored never will be.
  options.staggered = session != nullptr && !options.mirrored && !mayBeOverAligned(site);
  options.zero = zero;
  options.site = &site;
  const auto array = hostMemoryImpl().allocate(bytes, options);
  if (!array) {
    std::fprintf(stderr, "muster: %s of %s: %s\n", place(&site).c_str(), formatBytes(bytes).c_str(),
                 array.status().message().c_str());
    return nullptr;
  }
  if (session != nullptr) session->created(**array, &site, bytes);
  return (*array)->user();
}

void releaseManaged(void* pointer) {
  const AllocationScopePause pause;
  if (!releaseRows(pointer)) release(arrayStartingAt(pointer, "free()"));
}

void* reallocateManaged(void* pointer, std::size_t bytes) {
  const AllocationScopePause pause;
  if (const auto fresh = reallocateRows(pointer, bytes)) {
    if (*fresh == nullptr) errno = ENOMEM;
    return *fresh;
  }
  HostArrayImpl& old = arrayStartingAt(pointer, "realloc()");
  const std::size_t kept = std::min(bytes, old.bytes());
  void* grown = old.site() != nullptr ? allocateManaged(*old.site(), bytes, 1, false) : nullptr;
  if (grown == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  if (kept > 0) {
    muster_host_access(pointer, kept, MUSTER_READ);
    muster_host_access(grown, kept, MUSTER_WRITE);
    std::memcpy(grown, pointer, kept);
  }
  release(old);
  return grown;
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
