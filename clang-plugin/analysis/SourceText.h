// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's own text of an expression, and names that mean the same at the launch site.
#pragma once

#include <optional>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// As in the source; where macros are involved in a way that has no text of its own, printed from the AST.
std::string sourceText(const clang::ASTContext& context, const clang::Expr* expr);
// "n" for a local variable or parameter, "::space::n" for one of namespace scope.
std::string visibleName(const clang::VarDecl* var);
// A type as C++ text that declares a variable (arithmetic types by their canonical names).
std::string typeText(const clang::ASTContext& context, clang::QualType type);

// The characters of a whole statement, with its semicolon; nullopt where they are not plain text of the main file.
std::optional<clang::CharSourceRange> statementRange(const clang::ASTContext& context, const clang::Stmt* statement);

}  // namespace muster::plugin
