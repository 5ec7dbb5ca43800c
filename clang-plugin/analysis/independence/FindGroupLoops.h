// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops inside an iteration that a work-group may share, where they are no dimensions: others stand beside them, their
// bounds change from iteration to iteration, or one of their iterations writes what the others read.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Adds to the facts' groupLoops, and the guards that these need to `guards`.
void findGroupLoops(LoopContext& context, std::set<unsigned>& guards);

}  // namespace muster::plugin
