// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C ABI of arrays (muster/abi.h). Works before main() and after the session: then an array is plain private memory.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "host/arrays/managed_memory.h"
#include "host/arrays/row_blocks.h"
#include "host/space/mapping.h"
#include "host/system/runtime_section.h"
#include "muster/abi.h"
#include "muster/cdm/text.h"

using muster::rt::allocateManaged;
using muster::rt::AllocationScopePause;
using muster::rt::arrayListener;
using muster::rt::managedAddresses;

namespace {

// What libc's functions return when there is no room.
void* orNoMemory(void* memory) {
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

// What new expressions throw.
void* orThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::size_t bytesOf(const muster_array_site& site, std::size_t count) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::size_t>(site.elem_size), &bytes))
    throw std::bad_array_new_length();
  return bytes;
}

[[noreturn]] void cannotAdopt(const muster_array_site& site, std::size_t bytes, const std::string& why) {
  std::fprintf(stderr, "muster: %s:%u: static array '%s' of %s cannot be managed: %s\n", site.loc.file, site.loc.line,
               site.name, muster::cdm::formatByteCount(bytes).c_str(), why.c_str());
  std::abort();
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

void* muster_array_create(const muster_array_site* site, std::size_t count) {
  return orThrow(allocateManaged(*site, bytesOf(*site, count), 1, true));
}

void* muster_array_new(const muster_array_site* site, std::size_t count) {
  return orThrow(allocateManaged(*site, bytesOf(*site, count), 1, false));
}

void* muster_array_malloc(const muster_array_site* site, std::size_t bytes) {
  return orNoMemory(allocateManaged(*site, bytes, 1, false));
}

void* muster_array_calloc(const muster_array_site* site, std::size_t n, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(n, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return orNoMemory(allocateManaged(*site, bytes, 1, true));
}

void* muster_array_aligned_alloc(const muster_array_site* site, std::size_t alignment, std::size_t bytes) {
  if (!std::has_single_bit(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return orNoMemory(allocateManaged(*site, bytes, alignment, false));
}

int muster_array_posix_memalign(const muster_array_site* site, void** pointer, std::size_t alignment,
                                std::size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* memory = allocateManaged(*site, bytes, alignment, false);
  if (memory == nullptr) return ENOMEM;
  *pointer = memory;
  return 0;
}

void muster_array_adopt(const muster_array_site* site, void* storage, std::size_t bytes) {
  const AllocationScopePause pause;
  if (const muster::rt::HostArrayImpl* known = managedAddresses.table.find(storage)) {
    if (known->user() == storage && known->bytes() == bytes) return;
    cannotAdopt(*site, bytes, "its storage belongs to another managed array");
  }
  muster::rt::ArrayListener* session = arrayListener();
  const bool mirrored = session != nullptr && session->wantsMirrored();
  const auto array = muster::rt::hostMemoryImpl().adopt(storage, bytes, mirrored, site);
  if (!array) cannotAdopt(*site, bytes, array.status().message());
  if (session == nullptr) return;
  if (mirrored)
    session->created(**array, site, bytes);
  else
    session->createdPrivate(site, bytes);
}

void* muster_table_create(void* slot, std::size_t entries) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(entries, sizeof(void*), &bytes)) throw std::bad_array_new_length();
  return orThrow(muster::rt::allocateTable(slot, bytes, true));
}

void* muster_table_malloc(void* slot, std::size_t bytes) {
  return orNoMemory(muster::rt::allocateTable(slot, bytes, false));
}

void* muster_table_calloc(void* slot, std::size_t n, std::size_t size) {
  std::size_t bytes = 0;
  return orNoMemory(__builtin_mul_overflow(n, size, &bytes) ? nullptr : muster::rt::allocateTable(slot, bytes, true));
}

void* muster_row_create(const muster_array_site* site, void* slot, std::size_t count) {
  return orThrow(muster::rt::allocateRow(*site, slot, bytesOf(*site, count), true));
}

void* muster_row_new(const muster_array_site* site, void* slot, std::size_t count) {
  return orThrow(muster::rt::allocateRow(*site, slot, bytesOf(*site, count), false));
}

void* muster_vector_row(const muster_array_site* site, const void* table, const void* neighbour, std::size_t number,
                        std::size_t rows, std::size_t bytes) {
  return muster::rt::allocateVectorRow(*site, table, neighbour, number, rows, bytes);
}

void* muster_row_malloc(const muster_array_site* site, void* slot, std::size_t bytes) {
  return orNoMemory(muster::rt::allocateRow(*site, slot, bytes, false));
}

void* muster_row_calloc(const muster_array_site* site, void* slot, std::size_t n, std::size_t size) {
  std::size_t bytes = 0;
  return orNoMemory(__builtin_mul_overflow(n, size, &bytes) ? nullptr
                                                            : muster::rt::allocateRow(*site, slot, bytes, true));
}

int muster_release(void* pointer) {
  if (!managedAddresses.inRegion(pointer)) return 0;
  muster::rt::releaseManaged(pointer);
  return 1;
}

void muster_free(void* pointer) {
  if (muster_release(pointer) == 0) std::free(pointer);
}

void* muster_realloc(void* pointer, std::size_t bytes) {
  if (!managedAddresses.inRegion(pointer)) return std::realloc(pointer, bytes);
  if (bytes > 0) return muster::rt::reallocateManaged(pointer, bytes);
  muster::rt::releaseManaged(pointer);  // as glibc's realloc
  return nullptr;
}

int muster_is_managed(const void* pointer) { return managedAddresses.extentOf(pointer) ? 1 : 0; }

void muster_host_access(const void* pointer, std::size_t bytes, int mode) {
  muster::rt::HostArrayImpl* array = managedAddresses.table.find(pointer);
  muster::rt::ArrayListener* session = arrayListener();
  if (array != nullptr && (mode & MUSTER_WRITE) != 0) array->endWatch();
  if (array == nullptr || session == nullptr || !array->mirrored()) return;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - array->user());
  if (offset >= array->bytes() || bytes == 0) return;
  const AllocationScopePause pause;
  session->hostAccess(*array, offset, std::min(bytes, array->bytes() - offset), mode);
}

#pragma GCC visibility pop

}  // extern "C"
