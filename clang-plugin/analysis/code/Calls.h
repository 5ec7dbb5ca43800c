// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call is made of.
#pragma once

#include <vector>

#include "clang/AST/ExprCXX.h"

namespace muster::plugin {

// The object that a call's method is called on, nullptr if there is none.
const clang::Expr* objectOf(const clang::CallExpr* call);
// Without the object.
std::vector<const clang::Expr*> argumentsOf(const clang::CallExpr* call);
// Of a member function: "size", "operator[]"; empty for other functions and operators.
llvm::StringRef memberName(const clang::CallExpr* call);

}  // namespace muster::plugin
