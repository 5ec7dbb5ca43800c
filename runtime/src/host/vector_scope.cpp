// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vector scopes of each thread: a list, innermost first.
#include <cstdlib>
#include <new>

#include "host/runtime_section.h"
#include "muster/abi.h"
#include "muster/cdm/status.h"

using muster::rt::threadState;
using muster::rt::VectorScopeEntry;

extern "C" {

#pragma GCC visibility push(default)

void muster_vector_scope_begin(const muster_array_site* site, std::size_t min_bytes) {
  // From malloc: operator new is what the scope changes.
  void* memory = std::malloc(sizeof(VectorScopeEntry));
  if (memory == nullptr) throw std::bad_alloc();
  threadState.vectorScope = new (memory) VectorScopeEntry{site, min_bytes, threadState.vectorScope};
}

void muster_vector_scope_end(void) {
  VectorScopeEntry* ended = threadState.vectorScope;
  if (ended == nullptr) muster::panic("muster_vector_scope_end without a begin in this thread");
  threadState.vectorScope = ended->outer;
  std::free(ended);
}

#pragma GCC visibility pop

}  // extern "C"
