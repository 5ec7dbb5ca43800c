// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables may name the same buffer: those that are assigned to, swapped with, or passed as each other
// somewhere in the translation unit. Insensitive to flow; used for the class of arrays, never for correctness.
#pragma once

#include <map>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace muster::plugin {

class Aliases {
 public:
  explicit Aliases(clang::ASTContext& context);
  bool mayAlias(const clang::VarDecl* left, const clang::VarDecl* right) const;
  void unite(const clang::VarDecl* left, const clang::VarDecl* right);

 private:
  const clang::VarDecl* root(const clang::VarDecl* var) const;
  std::map<const clang::VarDecl*, const clang::VarDecl*> parents_;
};

}  // namespace muster::plugin
