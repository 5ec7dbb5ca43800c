// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// malloc and its kin for functions that allocate inside a scope of their caller, and free, realloc and reallocarray for
// code that was not rewritten and holds managed pointers. Everything else goes to the allocator behind us, which need
// not be glibc's.
#include "host/interpose/interpose.h"

#if MUSTER_INTERPOSE_ALLOCATION

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "muster/abi.h"

namespace muster::rt {

namespace {

constinit NextSymbol<void*(std::size_t)> nextMalloc("malloc");
constinit NextSymbol<void*(std::size_t, std::size_t)> nextCalloc("calloc");
constinit NextSymbol<void*(std::size_t, std::size_t)> nextAlignedAlloc("aligned_alloc");
constinit NextSymbol<int(void**, std::size_t, std::size_t)> nextPosixMemalign("posix_memalign");
constinit NextSymbol<void(void*)> nextFree("free");
constinit NextSymbol<void*(void*, std::size_t)> nextRealloc("realloc");
constinit thread_local bool resolving __attribute__((tls_model("initial-exec"))) = false;

// Looks a function up, except inside another look-up: the dynamic linker itself calls free and realloc.
template <class Function>
Function* resolve(NextSymbol<Function>& symbol) {
  if (Function* known = symbol.known()) return known;
  if (resolving) return nullptr;
  resolving = true;
  Function* function = symbol.get();
  resolving = false;
  return function;
}

// What the look-up itself asks for; zero, never given back.
class FirstMemory {
 public:
  void* take(std::size_t bytes) {
    const std::size_t rounded = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t);
    const std::size_t from = used_.fetch_add(rounded * alignof(std::max_align_t));
    return from + bytes <= sizeof bytes_ ? bytes_ + from : nullptr;
  }
  bool holds(const void* pointer) const {
    const auto* byte = static_cast<const std::byte*>(pointer);
    return byte >= bytes_ && byte < bytes_ + sizeof bytes_;
  }
  std::size_t bytesFrom(const void* pointer) const {
    return static_cast<std::size_t>(bytes_ + sizeof bytes_ - static_cast<const std::byte*>(pointer));
  }

 private:
  alignas(std::max_align_t) std::byte bytes_[16 << 10] = {};
  std::atomic<std::size_t> used_{0};
};

constinit FirstMemory firstMemory;

// Before the program has threads and before its constructors run.
__attribute__((constructor(101))) void resolveAllocator() {
  resolve(nextMalloc);
  resolve(nextCalloc);
  resolve(nextAlignedAlloc);
  resolve(nextPosixMemalign);
  resolve(nextFree);
  resolve(nextRealloc);
}

}  // namespace

}  // namespace muster::rt

using muster::rt::managedAddresses;

using muster::rt::Allocating;
using muster::rt::firstMemory;

namespace {

void* inScope(std::size_t bytes, std::size_t alignment, bool zero) {
  if (!muster::rt::inAllocationScope()) [[likely]]
    return nullptr;
  return muster::rt::allocateInScope(Allocating::bytes, bytes, alignment, zero);
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

void* malloc(std::size_t bytes) noexcept {
  if (void* managed = inScope(bytes, 1, false)) return managed;
  if (auto* next = muster::rt::resolve(muster::rt::nextMalloc)) return next(bytes);
  return firstMemory.take(bytes);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(count, size, &bytes);
  if (!overflows)
    if (void* managed = inScope(bytes, 1, true)) return managed;
  if (auto* next = muster::rt::resolve(muster::rt::nextCalloc)) return next(count, size);
  return overflows ? nullptr : firstMemory.take(bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  if (void* managed = inScope(bytes, alignment, false)) return managed;
  if (auto* next = muster::rt::resolve(muster::rt::nextAlignedAlloc)) return next(alignment, bytes);
  errno = ENOMEM;
  return nullptr;
}

int posix_memalign(void** pointer, std::size_t alignment, std::size_t bytes) noexcept {
  if (void* managed = inScope(bytes, alignment, false)) {
    *pointer = managed;
    return 0;
  }
  if (auto* next = muster::rt::resolve(muster::rt::nextPosixMemalign)) return next(pointer, alignment, bytes);
  return ENOMEM;
}

void free(void* pointer) noexcept {
  if (pointer == nullptr || firstMemory.holds(pointer)) return;
  if (managedAddresses.inRegion(pointer)) {
    muster::rt::releaseManaged(pointer);
    return;
  }
  // Freed by the look-up itself: those few bytes are lost rather than given to a wrong allocator.
  if (auto* next = muster::rt::resolve(muster::rt::nextFree)) next(pointer);
}

void* realloc(void* pointer, std::size_t bytes) noexcept {
  if (managedAddresses.inRegion(pointer)) return muster_realloc(pointer, bytes);
  if (firstMemory.holds(pointer)) {
    void* moved = malloc(bytes);
    const std::size_t most = firstMemory.bytesFrom(pointer);
    return moved == nullptr ? nullptr : std::memcpy(moved, pointer, bytes < most ? bytes : most);
  }
  if (pointer == nullptr) return malloc(bytes);
  if (auto* next = muster::rt::resolve(muster::rt::nextRealloc)) return next(pointer, bytes);
  errno = ENOMEM;
  return nullptr;
}

void* reallocarray(void* pointer, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(pointer, bytes);
}

#pragma GCC visibility pop

}  // extern "C"

#endif  // MUSTER_INTERPOSE_ALLOCATION
