// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other names for the variables of copies of code.
#pragma once

#include <string>

#include "ir/Statement.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace muster::plugin::passes {

// No name of the code has it in front of a digit, so that no name with it and a number is one of the code's.
std::string separatorFor(const ir::Statements& code);

// The definition of another name. The declaration has the old one once, as a word.
ir::Statement renamedDefinition(const ir::Statement& definition, const std::string& name);

// A copy whose definitions have other names. `valueOf` says what an expression becomes.
ir::Statements renamed(const ir::Statements& code, llvm::function_ref<std::string(const std::string&)> nameOf,
                       llvm::function_ref<ir::Expression(const ir::Expression&)> valueOf);

}  // namespace muster::plugin::passes
