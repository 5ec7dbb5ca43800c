// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fault service and operator new know about the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

struct muster_array_site;

namespace muster::rt {

struct AllocationScopeEntry {
  const muster_array_site* site = nullptr;
  std::size_t minBytes = 0;
  bool arrays = false;  // counts for operator new[] and the malloc family; else for operator new and operator new[]
  AllocationScopeEntry* outer = nullptr;
  bool isPlace = false;
  void* place = nullptr;  // if so: what the next operator new of exactly minBytes gives, and no other
};

struct ThreadState {
  bool isFaultService = false;
  bool launches = false;  // it has launched a loop: it is one of the program's
  unsigned runtimeSections = 0;
  AllocationScopeEntry* allocationScope = nullptr;
  unsigned scopes = 0;  // how many there are, also of those that are paused
  AllocationScopeEntry outerScopes[4];
  // The last fault of this thread: whether it makes progress.
  const void* faultAddress = nullptr;
  std::uint64_t faultRevocations = 0;
  unsigned faultRepeats = 0;
};

// Initial-exec, because the signal handler reads it: the general model may call malloc on a thread's first access.
extern constinit thread_local ThreadState threadState __attribute__((tls_model("initial-exec")));

// While it lives, the calling thread works for the runtime and may hold its locks: an access to a protected page would
// wait for itself, so it ends the program with a message instead, and operator new gives no managed memory. Nests. Not
// around native code of the program.
class RuntimeSection {
 public:
  RuntimeSection() { ++threadState.runtimeSections; }
  ~RuntimeSection() { --threadState.runtimeSections; }
  RuntimeSection(const RuntimeSection&) = delete;
  RuntimeSection& operator=(const RuntimeSection&) = delete;
};

// While it lives, operator new and malloc give no managed memory in the calling thread: the runtime's own objects, made
// on behalf of a program that is in a scope, are none of that program's arrays.
class AllocationScopePause {
 public:
  AllocationScopePause() : scope_(threadState.allocationScope) { threadState.allocationScope = nullptr; }
  ~AllocationScopePause() { threadState.allocationScope = scope_; }
  AllocationScopePause(const AllocationScopePause&) = delete;
  AllocationScopePause& operator=(const AllocationScopePause&) = delete;

 private:
  AllocationScopeEntry* scope_;
};

}  // namespace muster::rt
