// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion that native code may do: what std::sort and its like do to local data.
#pragma once

#include "clang/AST/Decl.h"

namespace muster::plugin {

// A function of the standard library whose effect is what it does through its arguments.
inline bool mayRecur(const clang::FunctionDecl* function) {
  return function->isInStdNamespace() && function->getReturnType()->isVoidType();
}

}  // namespace muster::plugin
