// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables iterations of a loop inside the body share.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Of a vector, which is outside of the loop, only elements can change.
bool isVector(const clang::VarDecl* var);

// Variables that the loop changes, of which its iterations use what others have left.
std::vector<const clang::VarDecl*> sharedVariables(const LoopContext& context, const clang::ForStmt* loop);

}  // namespace muster::plugin
