// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed memory as the C ABI and the interposed functions use it: allocation with messages for the user, release with
// checks, and what is not managed passed on to the allocator behind us.
#pragma once

#include <cstddef>

#include "host/memory/host_memory_impl.h"
#include "host/system/runtime_section.h"
#include "muster/abi.h"

namespace muster::rt {

// nullptr, after a message with the array, its place in the source and its size, if there is no room.
void* allocateManaged(const muster_array_site& site, std::size_t bytes, std::size_t alignment, bool zero);
// The same, always with a record.
HostArrayImpl* allocateArray(const muster_array_site& site, std::size_t bytes, std::size_t alignment, bool zero);
// `pointer` lies in the reserved region. Ends the program with a message unless it is the start of an array.
void releaseManaged(void* pointer);
// nullptr with errno ENOMEM, and the old array as it was, if there is no room.
void* reallocateManaged(void* pointer, std::size_t bytes);

// Who asks for memory: operator new, operator new[], or malloc and its kin.
enum class Allocating { object, array, bytes };

// Managed memory if the calling thread is in a scope for this size and kind, else nullptr.
void* allocateInScope(Allocating what, std::size_t bytes, std::size_t alignment, bool zero = false);
[[nodiscard]] inline bool inAllocationScope() { return threadState.allocationScope != nullptr; }

}  // namespace muster::rt
