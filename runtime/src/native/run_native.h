// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch's native code, run once over all of its iterations in the calling thread: what one process with a
// CPU only does for every launch, and the fallback for everything else. No lock, no look-up.
#pragma once

#include "muster/abi.h"

namespace muster::rt {

// True when some dimension has no iterations: nothing happens then.
[[nodiscard]] inline bool isEmpty(const muster_launch& launch) {
  for (unsigned d = 0; d < launch.kernel->n_dims; ++d) {
    if (launch.dims[d].count <= 0) return true;
  }
  return false;
}

// `arrays`: one pointer per array parameter (launch.arrays, or addresses of the same elements elsewhere). Results are
// combined into the user's variables. The launch must not be empty.
void runNative(const muster_launch& launch, void* const* arrays);

}  // namespace muster::rt
