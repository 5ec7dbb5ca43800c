// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of CUDA's driver, what an MPI calls that takes addresses of devices' memory (../gpu_aware_mpi.cpp). Contexts are
// those of devices.
#include <cstring>

#include "entries.h"

using namespace fake;

#pragma GCC visibility push(default)
extern "C" {

// Of the host's memory nothing is known.
Error cuPointerGetAttribute(void* value, int which, Pointer at) {
  constexpr int contextOf = 1, kindOf = 2;
  constexpr unsigned ofDevice = 2;
  const std::lock_guard lock(oneAtATime());
  Context* const context = contextAt(at);
  if (context == nullptr) return invalidValue;
  if (which == kindOf) *static_cast<unsigned*>(value) = ofDevice;
  if (which == contextOf) *static_cast<Context**>(value) = context;
  return which == kindOf || which == contextOf ? success : invalidValue;
}

// At once, whatever the context's streams have yet to do: they do not wait for it, nor it for them.
Error cuMemcpy(Pointer to, Pointer from, std::size_t bytes) {
  return inContext([&](Context& context) {
    for (const Pointer end : {to, from})
      if (contextAt(end) != nullptr && !context.find(end, bytes)) return context.lost = illegalAddress;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    return success;
  });
}

Error cuCtxSynchronize() {
  return inContext([](Context& context) {
    for (const auto& [stream, owned] : context.streams)
      if (!runQueue(*owned->queue)) return error(launchTimeout);
    return success;
  });
}

}  // extern "C"
#pragma GCC visibility pop
