// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a loop may add up in any order, by the types of what it does with them.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace muster::plugin {

// Whether sums, products, bits and extremes of the variable, if the statement makes these alone, have the same value in
// any order: whole numbers that no step converts to others and back, or floats whose order the program leaves open. An
// extreme compares as its own type does. (passes/LoopSums.h finds out what the statement makes.)
bool hasAnyOrder(const clang::ASTContext& ast, const clang::Stmt* statement, const clang::VarDecl* var);

}  // namespace muster::plugin
