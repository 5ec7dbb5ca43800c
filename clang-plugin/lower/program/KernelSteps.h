// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of kernels that run several steps of time at once (passes/TimeSteps.h; a stream down the rows, as in Rawat et
// al., PACT 2018, section 3). A work-group has a strip of columns and a few rows of it. For each step it holds as many
// rows as the next one needs, in registers; neighbours' columns come through local memory. What groups beside each
// other both need, both compute.
#pragma once

#include <optional>
#include <string>

#include "lower/program/Program.h"
#include "lower/types/Scope.h"
#include "passes/TimeSteps.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// Notes in the schedule how many steps there can be. `constantOf` is that of plan/Schedule.h.
std::optional<passes::TimeStep> findSteps(Program& program, Scope& scope, const ir::Statements& iteration,
                                          llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule);

// The kernel's last argument, with a comma in front, and what stands between the braces.
inline constexpr const char* stepsArgument = ", long muster_count_0";
std::string stepsFrame(Program& program, Scope& scope, const Schedule& schedule, const passes::TimeStep& step,
                       const ir::Statements& prologue);

}  // namespace muster::plugin::lower
