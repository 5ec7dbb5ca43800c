// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that a loop adds up into become variables (register promotion: Cooper & Lu, PLDI 1997). So what shares loads
// between iterations sees a sum like any other.
//
//   c[i] = 0;                                     float s = 0;
//   for (k = 0; k < n; ++k) c[i] += a[k];         for (k = 0; k < n; ++k) s += a[k];
//                                                 c[i] = s;
#pragma once

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

// Elements that the iteration stores into in front of the loop as well, so that the loop's number of steps does not
// matter. None: there are no such ones. The code is right where these arrays share no elements with others.
std::optional<ir::Statements> accumulatedApart(const ir::Statements& iteration, const Memory& memory);

}  // namespace muster::plugin::passes
