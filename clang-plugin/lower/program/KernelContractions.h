// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of kernels whose work-groups compute blocks of sums from tiles in local memory (passes/Contractions.h).
#pragma once

#include <string>
#include <vector>

#include "lower/program/Program.h"
#include "lower/types/Scope.h"
#include "passes/Contractions.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// Of large blocks, and of smaller ones for launches that have too few of these. `iteration`: a work-item's code.
// `constantOf` is that of plan/Schedule.h.
std::vector<passes::Contraction> findContractions(Program& program, Scope& scope, const ir::Statements& iteration,
                                                  llvm::function_ref<int(const std::string&)> constantOf,
                                                  const Schedule& schedule);
Blocks blocksOf(const passes::Contraction& contraction);

// What stands between the braces of such a form. `prologue`: definitions in front of the iteration.
std::string contractionFrame(Program& program, Scope& scope, const Schedule& schedule,
                             const passes::Contraction& contraction, const ir::Statements& prologue);

}  // namespace muster::plugin::lower
