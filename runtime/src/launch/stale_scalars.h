// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars travel by value: one that lies in an array that its loop writes keeps the value from before the loop.
#pragma once

#include "muster/abi.h"

namespace muster::rt {

// Says on stderr, once for each, which scalars of the launch are elements that the loop may write: `f(a, n, a[3])`
// where f takes `const double &`. The compiler sees references that are made where the loop stands, and refuses them.
// Any thread.
void warnOfStaleScalars(const muster_launch& launch);

}  // namespace muster::rt
