// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions that a loop's iterations compute and that are not the user's text.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// left OPCODE right, of signed 64-bit numbers, in parentheses.
const clang::Expr* madeSum(const clang::ASTContext& ast, const clang::Expr* left, const clang::Expr* right,
                           clang::BinaryOperatorKind opcode);
const clang::Expr* madeNumber(const clang::ASTContext& ast, std::uint64_t number, clang::QualType type);
// What a variable holds.
clang::Expr* madeValue(const clang::ASTContext& ast, const clang::VarDecl* variable);
const clang::Expr* madeCast(const clang::ASTContext& ast, const clang::Expr* number, clang::QualType type);

}  // namespace muster::plugin
