// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that have several names in a loop, as where `w[i] = x[i] + b * y[i]` is called with w for x, too.
#pragma once

#include "muster/abi.h"

namespace muster::rt {

// Whether each element of such arrays that the launch may write belongs to one iteration, under whatever name.
[[nodiscard]] bool haveOwnElements(const muster_launch& launch);

}  // namespace muster::rt
