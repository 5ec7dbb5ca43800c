// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory of the runtime's own whose size follows the user's data: messages, twins, copies of arrays. What cannot
// be had is an error with its size and what it was for. Tests let the n-th allocation of this process fail
// (MUSTER_INJECT=hostMemory:N, hostView:N). Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "muster/cdm/device.h"
#include "muster/cdm/faults.h"

namespace muster::cdm {

// memory: the runtime's buffers. view: what the program's arrays lie in on rank 0, and before main everywhere.
enum class HostAllocation { memory, view };

// Those of this process. Before anything is allocated by several threads.
void injectHostFaults(const std::vector<Fault>& faults, int rank);

// Errc::outOfMemory for an allocation that is to fail. For memory that is got from the system; call it before.
Status countHostAllocation(HostAllocation kind, std::size_t bytes, const char* purpose);
Status noHostMemory(std::size_t bytes, const char* purpose);

// Of this machine; less if the process's control group may only have less.
std::uint64_t hostMemoryBytes();

// Contents are undefined. `purpose`: "a message".
Result<PinnedMemory> allocateHost(std::size_t bytes, const char* purpose);

// Runs work() that lets containers grow by about so many bytes.
template <class Work>
Status growHost(std::size_t bytes, const char* purpose, const Work& work) {
  Status counted = bytes > 0 ? countHostAllocation(HostAllocation::memory, bytes, purpose) : Status();
  if (!counted.ok()) return counted;
  try {
    work();
  } catch (const std::bad_alloc&) {
    return noHostMemory(bytes, purpose);
  }
  return {};
}

}  // namespace muster::cdm
