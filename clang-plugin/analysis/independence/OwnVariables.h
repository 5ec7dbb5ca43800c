// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables iterations of a loop inside the body share.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Of a vector, which is outside of the loop, only elements can change.
bool isVector(const clang::VarDecl* var);

// Whether each iteration of the loop sets what it uses of variables that it changes.
bool sharesNoVariable(const LoopContext& context, const clang::ForStmt* loop);

}  // namespace muster::plugin
