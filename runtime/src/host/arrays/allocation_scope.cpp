// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes of each thread in which allocations become managed: a list, innermost first.
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <new>
#include <string>

#include "host/system/runtime_section.h"
#include "muster/abi.h"
#include "muster/cdm/status.h"

using muster::rt::AllocationScopeEntry;
using muster::rt::AllocationScopePause;
using muster::rt::threadState;

namespace {

// From malloc, and not managed: operator new is what a scope changes, and malloc what the one around it may.
void* entryOfItsOwn() {
  const AllocationScopePause pause;
  // The compiler takes malloc for a function that reads no variable of ours, and the pause for one without effect.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  void* memory = std::malloc(sizeof(AllocationScopeEntry));
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// A scope for each element that is added to a vector: the outer ones need no memory of their own.
void begin(const muster_array_site* site, std::size_t minBytes, bool arrays) {
  const unsigned depth = threadState.scopes;
  void* memory = depth < std::size(threadState.outerScopes) ? &threadState.outerScopes[depth] : entryOfItsOwn();
  threadState.allocationScope = new (memory) AllocationScopeEntry{site, minBytes, arrays, threadState.allocationScope};
  ++threadState.scopes;
}

void end(const char* call) {
  AllocationScopeEntry* ended = threadState.allocationScope;
  if (ended == nullptr) muster::panic(std::string(call) + " without a begin in this thread");
  threadState.allocationScope = ended->outer;
  if (--threadState.scopes >= std::size(threadState.outerScopes)) std::free(ended);
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

void muster_vector_scope_begin(const muster_array_site* site, std::size_t min_bytes) { begin(site, min_bytes, false); }
void muster_place_scope_begin(void* place, std::size_t bytes) {
  begin(nullptr, bytes, false);
  threadState.allocationScope->isPlace = true;
  threadState.allocationScope->place = place;
}
void muster_vector_scope_end(void) { end("muster_vector_scope_end"); }

void muster_allocation_scope_begin(const muster_array_site* site, std::size_t min_bytes) {
  begin(site, min_bytes, true);
}
void muster_allocation_scope_end(void) { end("muster_allocation_scope_end"); }

#pragma GCC visibility pop

}  // extern "C"
