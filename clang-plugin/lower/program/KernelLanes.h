// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of a kernel whose work-items run a block of iterations together (passes/Lanes.h).
#pragma once

#include <optional>
#include <string>

#include "lower/types/Scope.h"
#include "passes/Lanes.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// The lanes of a kernel's iteration, if the schedule has any and it gains by them. The schedule then says what they
// ask of a launch; else it has none. `constantOf` is that of plan/Schedule.h.
std::optional<passes::Lanes> findLanes(const Program& program, Scope& scope, const ir::Statements& iteration,
                                       llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule);

// What stands between the braces of that form. `prologue`: definitions in front of the iteration.
std::string lanesFrame(const Program& program, const Schedule& schedule, const passes::Lanes& lanes,
                       const ir::Statements& prologue, const ir::Statements& iteration);

}  // namespace muster::plugin::lower
