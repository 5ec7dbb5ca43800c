// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's form in which a work-group runs an iteration (passes/GroupLoops.h).
#pragma once

#include <optional>

#include "lower/program/Program.h"
#include "lower/types/Scope.h"
#include "passes/GroupLoops.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// The iteration for a group, where the loop's has one.
std::optional<passes::GroupedIteration> findGroups(const Program& program, Scope& scope,
                                                   const ir::Statements& iteration,
                                                   llvm::function_ref<int(const std::string&)> constantOf,
                                                   Schedule& schedule);
// Notes it in the schedule, and how often the iteration's first loop with bounds that the launch knows runs.
void setGroups(const passes::GroupedIteration& group, const ir::Statements& iteration,
               llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule);
std::string groupsFrame(const Schedule& schedule, const ir::Statements& prologue,
                        const passes::GroupedIteration& group);

}  // namespace muster::plugin::lower
