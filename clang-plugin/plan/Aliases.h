// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffers a variable may name: its own and those of the variables and members (of whatever object) that are
// assigned to it, swapped with it or passed as it somewhere in the translation unit. Two arrays that one function gets
// as the same parameter are not aliases of each other. Insensitive to order; used for the class of arrays, never for
// correctness.
#pragma once

#include <map>
#include <set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace muster::plugin {

class Aliases {
 public:
  explicit Aliases(clang::ASTContext& context);
  // Whether the buffer that `owner` is declared for may be what `name` names.
  bool mayName(const clang::ValueDecl* name, const clang::ValueDecl* owner) const;
  void addFlow(const clang::ValueDecl* from, const clang::ValueDecl* to);

 private:
  std::map<const clang::ValueDecl*, std::set<const clang::ValueDecl*>> flows_;
};

}  // namespace muster::plugin
