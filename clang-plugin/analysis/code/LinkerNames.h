// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"

namespace muster::plugin {

// What the linker calls a function.
std::string linkerName(const clang::ASTContext& ast, const clang::FunctionDecl* function);
// What text of ours calls it, where its own name may mean something else.
std::string unseenAlias(const std::string& linkerName);

}  // namespace muster::plugin
