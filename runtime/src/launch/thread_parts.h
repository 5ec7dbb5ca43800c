// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes that divide a launch into parts, as `sums[i / size]` does.
#pragma once

#include "muster/abi.h"

namespace muster::rt {

// Whether the launch writes elements whose index is the number of a part, of which each of `threads` threads gets one,
// or few: where a static schedule gives each thread whole parts, no two of them write the same element.
[[nodiscard]] bool writesPartsOf(const muster_launch& launch, int threads);

}  // namespace muster::rt
