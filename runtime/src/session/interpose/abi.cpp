// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// extern "C" entry points of the session and the registry.
#include "muster/abi.h"

#include "registry/functions.h"
#include "registry/registry.h"
#include "session/program/session.h"

extern "C" {

void muster_session_begin(int* argc, char*** argv) { muster::rt::Session::begin(argc, argv); }

void muster_session_end(void) { muster::rt::Session::end(); }

void muster_register_kernels(const muster_kernel* const* begin, const muster_kernel* const* end, uint32_t abi_version) {
  muster::rt::registry().add(begin, end, abi_version);
}

void muster_register_functions(const muster_function* functions, uint32_t count, uint32_t abi_version) {
  muster::rt::functionTable().add(functions, count, abi_version);
}

int64_t muster_reach_first(void (*function)(void), uint32_t pointer, int64_t before, int64_t ahead) {
  return muster::rt::elementsReached(reinterpret_cast<const void*>(function), pointer, before, ahead).first;
}

int64_t muster_reach_last(void (*function)(void), uint32_t pointer, int64_t before, int64_t ahead) {
  return muster::rt::elementsReached(reinterpret_cast<const void*>(function), pointer, before, ahead).last;
}

}  // extern "C"
