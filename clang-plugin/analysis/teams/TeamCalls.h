// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call in the code of a team may run: functions to look into, those of other translation units, what is known to
// be harmless, and what cannot be seen, which may ask for thread numbers or wait for the other threads
// (docs/decisions/0006-regions-run-by-one-thread.md, docs/decisions/0019-functions-of-other-units.md).
#pragma once

#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

struct CalledCode {
  // With their definitions: the user's, and the library's that may call the user's.
  std::vector<const clang::FunctionDecl*> functions;
  // Without definitions here, or with one that the linker may replace: what they do is known when the program runs.
  std::vector<const clang::FunctionDecl*> unseen;
  std::string obstacle;  // why one thread must not run it; empty: nothing known
};

// Of a call, and of the construction, allocation or end of an object; nothing for other expressions. `byLibrary`: the
// code is the library's own, whose calls through pointers are those of what the user gave it.
CalledCode calledBy(const clang::ASTContext& ast, const clang::Expr* use, bool byLibrary);
// At the end of a variable.
CalledCode calledAtEnd(const clang::ASTContext& ast, const clang::VarDecl* var, bool byLibrary);

// The objects that a region's clauses make for each thread, whose constructors and destructors are run without being
// written.
std::vector<clang::VarDecl*> objectCopies(const clang::OMPExecutableDirective* region);

// Why a team keeps code that calls this function.
std::string dependsOnTeam(const clang::FunctionDecl* function);

// Of the compiler, the C or C++ library, or the system's headers, not only a member of one of their namespaces.
bool isSystemCode(const clang::ASTContext& ast, const clang::Decl* decl);

}  // namespace muster::plugin
