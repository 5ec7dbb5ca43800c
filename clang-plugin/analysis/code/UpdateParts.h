// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the spellings of updates are made of: values that are the same, or survive a conversion.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// Below parentheses, temporaries and conversions that are not written.
const clang::Expr* bareExpr(const clang::Expr* expr);
// Whether evaluating it has no effect. Functions that only give an element or another such value have none.
bool isPure(const clang::ASTContext& ast, const clang::Expr* expr);
// Whether both are one text without effects.
bool isSame(const clang::ASTContext& ast, const clang::Expr* left, const clang::Expr* right);
// Whether every value of `value` is one of `to` after the conversion to it.
bool convertsExactly(const clang::ASTContext& ast, const clang::Expr* value, clang::QualType to);
// Whether the child stands for its effect, not for its value.
bool isStatementOf(const clang::Stmt* parent, const clang::Stmt* child);

}  // namespace muster::plugin
