// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of the arrays and scalars of a kernel, by their names in the text.
#pragma once

#include <map>
#include <string>

#include "lower/types/Scope.h"
#include "passes/Elements.h"
#include "passes/WideRecords.h"
#include "plan/Schedule.h"

namespace muster::plugin::lower {

// nullptr: it is no array.
const ArrayFact* arrayNamed(const Program& program, Scope& scope, const std::string& name);

// A scalar of the launch whose products and sums have the same value in 64 bits, as those of `int` have in an index.
bool mayWiden(const Program& program, unsigned scalar);

// No iteration writes it.
bool isOnlyRead(const Program& program, Scope& scope, const std::string& name);

// Iterations have no effects but those of their statements, and no values from in front of the loop that they change: a
// work-item may run them in other parts, and some of them again.
bool isPlain(const Program& program, const Scope& scope, const Schedule& schedule);

// Numbers that a wide access has as the array has them.
passes::Memory::Numbers numbersOf(const Program& program, const ArrayFact& array);

// Without the variables of the iteration. `constantOf` is that of plan/Schedule.h, and has to stay.
passes::Memory memoryOf(const Program& program, Scope& scope, llvm::function_ref<int(const std::string&)> constantOf);

// Arrays of records whose members have places of their own, by their names.
std::map<std::string, passes::RecordLayout> recordsOf(Program& program, Scope& scope);

}  // namespace muster::plugin::lower
