// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `linear(k : 2)`: each iteration has a variable of its own, whose value follows from that of the loop's variable.
#pragma once

#include "analysis/facts/Context.h"
#include "clang/AST/OpenMPClause.h"

namespace muster::plugin {

// After the loops. False: refused.
bool readLinear(LoopContext& context, const clang::OMPLinearClause* clause);

}  // namespace muster::plugin
