// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that run a number of times which the code says, written out. What their steps read is then next to each other
// for a block of iterations (passes/Lanes.h), too.
//
//   for (int k = 0; k < 2; ++k) s += w[k] * a[i + k];       s += w[0] * a[i + 0]; s += w[1] * a[i + 1];
#pragma once

#include <optional>

#include "ir/Statement.h"

namespace muster::plugin::passes {

// The code without any loop. None: it has none, or one of another kind, or the steps have more nodes of expressions.
std::optional<ir::Statements> withoutLoops(const ir::Statements& code, unsigned mostNodes);

unsigned nodesOf(const ir::Statements& code);

}  // namespace muster::plugin::passes
