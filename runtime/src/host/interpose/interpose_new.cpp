// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The replaceable operators new and delete, all forms: managed memory inside a scope of the calling thread,
// malloc otherwise; delete knows both.
#include "host/interpose/interpose.h"

#if MUSTER_INTERPOSE_ALLOCATION

#include <atomic>
#include <cstdlib>
#include <new>

#include "host/system/runtime_section.h"

using muster::rt::Allocating;

namespace {

constexpr std::size_t kPlainAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* fromMalloc(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes == 0) bytes = 1;
  if (alignment <= kPlainAlignment) return std::malloc(bytes);
  const std::size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  return rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
}

// In a scope malloc may give managed memory too: not for what operator new is asked for.
void* fromMallocAlone(std::size_t bytes, std::size_t alignment) noexcept {
  if (!muster::rt::inAllocationScope()) [[likely]]
    return fromMalloc(bytes, alignment);
  const muster::rt::AllocationScopePause pause;
  // The compiler takes malloc for a function that reads no variable of ours, and the pause for one without effect.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  void* memory = fromMalloc(bytes, alignment);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return memory;
}

void* allocate(std::size_t bytes, std::size_t alignment, Allocating what = Allocating::object) {
  if (muster::rt::inAllocationScope()) [[unlikely]] {
    if (void* managed = muster::rt::allocateInScope(what, bytes, alignment)) return managed;
  }
  for (;;) {
    if (void* memory = fromMallocAlone(bytes, alignment)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* allocateOrNull(std::size_t bytes, std::size_t alignment, Allocating what = Allocating::object) noexcept {
  try {
    return allocate(bytes, alignment, what);
  } catch (...) {
    return nullptr;  // what the nothrow forms promise, also when the new handler throws
  }
}

std::size_t value(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

#pragma GCC visibility push(default)

void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 1, Allocating::array); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, value(alignment)); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, value(alignment), Allocating::array);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocateOrNull(bytes, 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocateOrNull(bytes, 1, Allocating::array);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocateOrNull(bytes, value(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocateOrNull(bytes, value(alignment), Allocating::array);
}

// muster_free: managed memory is released, the rest goes to free().
void operator delete(void* pointer) noexcept { muster_free(pointer); }
void operator delete[](void* pointer) noexcept { muster_free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { muster_free(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { muster_free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { muster_free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { muster_free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { muster_free(pointer); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept { muster_free(pointer); }
void operator delete(void* pointer, const std::nothrow_t&) noexcept { muster_free(pointer); }
void operator delete[](void* pointer, const std::nothrow_t&) noexcept { muster_free(pointer); }
void operator delete(void* pointer, std::align_val_t, const std::nothrow_t&) noexcept { muster_free(pointer); }
void operator delete[](void* pointer, std::align_val_t, const std::nothrow_t&) noexcept { muster_free(pointer); }

#pragma GCC visibility pop

#endif  // MUSTER_INTERPOSE_ALLOCATION
