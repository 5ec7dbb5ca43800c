// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation blocks (ClusterJaMP, section II): the arrays that one thread allocates between alloc_start and alloc_end.
// Thread-safe: each thread has its own open block.
#pragma once

#include <cstdint>

#include "muster/abi.h"

namespace muster::rt {

struct AllocationBlock {
  std::uint32_t number = 0;  // 1, 2, ... in the order of the program; 0: no block is open
  muster_loc start{};
};

// The calling thread's open block.
[[nodiscard]] AllocationBlock currentBlock();

}  // namespace muster::rt
