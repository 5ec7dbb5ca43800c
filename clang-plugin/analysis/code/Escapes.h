// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other ways to a variable than by its name.
#pragma once

#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace muster::plugin {

// Whether something else may name a variable, or a part of it, behind this code: a pointer, a reference, a lambda
// expression that captures it, or what a function keeps that gets a reference to it.
// `leftOut`: variables whose initialisers do not count.
bool mayEscape(const clang::VarDecl* var, const clang::Stmt* code,
               const std::vector<const clang::VarDecl*>& leftOut = {});
// The same of a variable of the file.
bool mayEscape(const clang::VarDecl* var, const clang::TranslationUnitDecl* file);

}  // namespace muster::plugin
