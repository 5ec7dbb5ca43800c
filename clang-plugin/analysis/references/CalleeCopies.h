// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a loop calls and that name global arrays, or pointers to arrays, themselves. On another rank, and in
// rank 0's own view of them, these names lead elsewhere than to the elements of the launch. So native code has copies
// of the functions, as if the global were a further parameter.
#pragma once

#include <vector>

#include "analysis/facts/Context.h"
#include "clang/AST/ExprCXX.h"

namespace muster::plugin {

// Which of the loop's functions native code has to copy, because they name its arrays. False: refused.
bool copyCallees(LoopContext& context);

// The copy that a call runs; nullptr: the function itself.
const CalleeCopy* copyOf(const LoopFacts& facts, const clang::CallExpr* call);
// Calls of copied functions in the text of the body.
std::vector<const clang::CallExpr*> copiedCalls(const LoopFacts& facts);

}  // namespace muster::plugin
