// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a declaration as the user wrote it: "static double" + "a[N]" + "*p = f(x)".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace muster::plugin {

struct Declarator {
  const clang::VarDecl* var = nullptr;
  std::string text;  // without the separating comma
};

struct Declaration {
  clang::SourceLocation begin, end;  // from the first specifier to behind the semicolon
  std::string specifiers;            // on one line
  std::vector<Declarator> declarators;
};

// `group`: the variables of one declaration, in order. nullopt if a macro
// holds more than the first specifiers, or a class is defined in it.
std::optional<Declaration> splitDeclaration(const clang::ASTContext& context,
                                            const std::vector<const clang::VarDecl*>& group);

}  // namespace muster::plugin
