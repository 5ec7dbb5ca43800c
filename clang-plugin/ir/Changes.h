// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits and changes of code: what passes are made of.
#pragma once

#include <optional>

#include "ir/Statement.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace muster::plugin::ir {

// Each expression of the statements, parts behind the whole.
void forEach(const Statements& statements, llvm::function_ref<void(const Expression&)> visit);
void forEach(const Expression& expression, llvm::function_ref<void(const Expression&)> visit);

// What an expression assigns to, counts or takes the address of, if it does one of these; nullptr: it does not.
const Expression* changedBy(const Expression& expression);
// Whether a part of the statements does so to a variable.
bool changes(const Statements& statements, llvm::StringRef variable);

// Of whose parts only the first one has its value asked for in any case: `a ? b : c`, `a && b`, `a || b`.
bool isChoice(const Expression& expression);

// A copy in which what `change` gives something else for stands for the expression; it is not looked into again.
using Change = llvm::function_ref<std::optional<Expression>(const Expression&)>;
Expression rewritten(const Expression& expression, Change change);
Statements rewritten(const Statements& statements, Change change);

// In it, however deep.
bool hasLoop(const Statements& statements);
// A jump, or where one leads to.
bool hasJump(const Statements& statements);

// All Next become `jump`.
void resolveNext(Statements& statements, const Statement& jump);

}  // namespace muster::plugin::ir
