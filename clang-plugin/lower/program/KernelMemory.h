// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of the arrays and scalars of a kernel, by their names in the text.
#pragma once

#include "lower/types/Scope.h"
#include "passes/Elements.h"

namespace muster::plugin::lower {

// nullptr: it is no array.
const ArrayFact* arrayNamed(const Program& program, Scope& scope, const std::string& name);

// Without the variables of the iteration. `constantOf` is that of plan/Schedule.h, and has to stay.
passes::Memory memoryOf(const Program& program, Scope& scope, llvm::function_ref<int(const std::string&)> constantOf);

}  // namespace muster::plugin::lower
