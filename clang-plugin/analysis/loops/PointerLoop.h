// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose variable is a pointer: `for (double *p = a + first; p < a + n; p += 2)`. The launch counts how far p is
// from the pointer that it starts from.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// nullopt: not a canonical loop over a pointer, or refused.
std::optional<DimFact> pointerLoop(LoopContext& context, const clang::ForStmt* loop);

// `for (double &x : v)` over a std::vector or an array. nullopt: not that, or refused.
std::optional<DimFact> rangeLoop(LoopContext& context, const clang::Stmt* statement);

// After the clauses: whether every iteration can compute the pointers. False: refused.
bool checkPointerLoops(LoopContext& context);

// What the pointer or iterator of a loop starts from, without the offset: an expression, if any, and what stands behind
// it.
struct LoopStart {
  const clang::Expr* expr;
  std::string suffix;
};
LoopStart startOf(const DimFact& dim);
// The bound of a loop at the launch site, as a number.
std::string boundText(const clang::ASTContext& context, const DimFact& dim);

}  // namespace muster::plugin
