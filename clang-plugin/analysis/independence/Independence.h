// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Extends dims by inner loops whose iterations are independent, and renumbers the variables of all forms.
void finishDims(LoopContext& context);

// False: the loop reads, by value, what it may write.
bool checkStaleValues(LoopContext& context);

}  // namespace muster::plugin
