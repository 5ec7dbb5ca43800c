// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that code may also reach by another name: a pointer or a reference that was made outside of it.
#pragma once

#include <map>
#include <set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace muster::plugin {

struct SharedUse;

class OtherNames {
 public:
  explicit OtherNames(const clang::ASTContext& ast) : ast_(ast) {}
  // Whether two uses of different variables may be uses of one place, or of parts of one.
  bool mayMeet(const SharedUse& left, const SharedUse& right);

 private:
  // Whether a pointer or a reference may lead to the variable.
  bool isGivenAway(const clang::VarDecl* var);
  bool mayBeParts(clang::QualType left, clang::QualType right) const;
  bool holds(clang::QualType whole, clang::QualType part, unsigned depth = 0) const;

  const clang::ASTContext& ast_;
  std::map<const clang::Decl*, std::set<const clang::VarDecl*>> givenAway_;  // by function
};

}  // namespace muster::plugin
