// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that a loop adds up into, or that a condition changes, become variables (register promotion: Cooper & Lu,
// PLDI 1997). So what shares loads between iterations sees a sum like any other, and stores that depend on nothing.
//
//   c[i] = 0;                                     float s = 0;
//   for (k = 0; k < n; ++k) c[i] += a[k];         for (k = 0; k < n; ++k) s += a[k];
//   if (c[i] < 1) c[i] = 1;                       if (s < 1) s = 1;
//                                                 c[i] = s;
#pragma once

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

// Elements that the iteration stores into in front of the loop or the condition as well, so that it does not matter
// whether these do. None: there are no such ones. The code is right where these arrays share no elements with others.
std::optional<ir::Statements> accumulatedApart(const ir::Statements& iteration, const Memory& memory);

}  // namespace muster::plugin::passes
