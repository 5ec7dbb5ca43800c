// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of a kernel in which work-groups load rows of different lengths together (passes/RaggedRows.h).
#pragma once

#include <string>

#include "lower/types/Scope.h"
#include "passes/RaggedRows.h"

namespace muster::plugin::lower {

// What stands between the braces of that form. `prologue`: definitions in front of the iteration.
std::string raggedFrame(Program& program, Scope& scope, const passes::RaggedLoop& ragged,
                        const ir::Statements& prologue);

}  // namespace muster::plugin::lower
