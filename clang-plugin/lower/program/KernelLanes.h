// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of a kernel whose work-items run a block of iterations together (passes/Lanes.h).
#pragma once

#include <string>
#include <vector>

#include "lower/types/Scope.h"
#include "passes/Lanes.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// Of the schedule's blocks those that the kernel's iteration can run in and gains by. The schedule then has these
// alone, and says what they ask of a launch. Behind them it may have one of a single iteration, which has no lanes and
// runs the kernel's other form. `constantOf` is that of plan/Schedule.h. `hasNoContractions`: there may be forms for
// values of what bounds its loops, and of records.
std::vector<passes::Lanes> findBlocks(Program& program, Scope& scope, const ir::Statements& iteration,
                                      llvm::function_ref<int(const std::string&)> constantOf, bool hasNoContractions,
                                      Schedule& schedule);

// What stands between the braces of such a form. `prologue`: definitions in front of the iteration.
std::string blocksFrame(const Program& program, const Schedule& schedule, const Blocks& blocks,
                        const passes::Lanes& lanes, const ir::Statements& prologue, const ir::Statements& iteration);

}  // namespace muster::plugin::lower
