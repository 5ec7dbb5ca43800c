// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's own text of an expression, and names that mean the same at the launch site.
#pragma once

#include <optional>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// As in the source; where macros are involved in a way that has no text of its own, printed from the AST.
std::string sourceText(const clang::ASTContext& context, const clang::Expr* expr);
// The value of an integer constant expression, with its type, in C; nullopt: it is none.
std::optional<std::string> constantText(const clang::ASTContext& context, const clang::Expr* expr);
// "n" for a local variable or parameter, "::space::n" for one of namespace scope in C++.
std::string visibleName(const clang::VarDecl* var);
// Whether native code sees the variable without declaring it: not in C what a function declares, static or not, since
// native code stands in front of that function.
bool isVisibleInFile(const clang::VarDecl* var);
// A conversion in the language of the source.
std::string castText(const clang::ASTContext& context, const std::string& type, const std::string& value);
// A type as text that declares a variable (arithmetic types by their canonical names).
std::string typeText(const clang::ASTContext& context, clang::QualType type);

// The line as messages have it, with macros not expanded.
inline unsigned lineOf(const clang::SourceManager& sources, clang::SourceLocation loc) {
  return sources.getPresumedLineNumber(sources.getExpansionLoc(loc));
}

// Where text in front of a function can go: before its attributes and the pragmas that apply to it.
clang::SourceLocation startOfFunction(const clang::ASTContext& context, const clang::FunctionDecl* function);

// The characters of a whole statement, with its semicolon; nullopt where they are not plain text of the main file.
std::optional<clang::CharSourceRange> statementRange(const clang::ASTContext& context, const clang::Stmt* statement);

// The characters of the directive's name in `#pragma omp NAME clauses`; nullopt where they are not plain text of the
// main file.
std::optional<clang::CharSourceRange> directiveName(const clang::ASTContext& context,
                                                    const clang::OMPExecutableDirective* directive);
// The characters of a clause of such a directive.
std::optional<clang::CharSourceRange> clauseRange(const clang::ASTContext& context, const clang::OMPClause* clause);

}  // namespace muster::plugin
