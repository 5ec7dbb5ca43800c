// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// free, realloc and reallocarray for code that was not rewritten and holds managed pointers. Everything else goes to
// the allocator behind us, which need not be glibc's.
#include "host/interpose.h"

#if MUSTER_INTERPOSE_ALLOCATION

#include <cerrno>

#include "muster/abi.h"

namespace muster::rt {

namespace {

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

// Before the program has threads and before its constructors run.
__attribute__((constructor(101))) void resolveAllocator() {
  resolve(nextFree);
  resolve(nextRealloc);
}

}  // namespace

}  // namespace muster::rt

using muster::rt::managedAddresses;

extern "C" {

#pragma GCC visibility push(default)

void free(void* pointer) noexcept {
  if (pointer == nullptr) return;
  if (managedAddresses.inRegion(pointer)) {
    muster::rt::releaseManaged(pointer);
    return;
  }
  // Freed by the look-up itself: those few bytes are lost rather than given to a wrong allocator.
  if (auto* next = muster::rt::resolve(muster::rt::nextFree)) next(pointer);
}

void* realloc(void* pointer, std::size_t bytes) noexcept {
  if (managedAddresses.inRegion(pointer)) return muster_realloc(pointer, bytes);
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
