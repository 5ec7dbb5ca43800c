// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffers a variable may name: its own and those of the variables and members (of whatever object) that are
// assigned to it, swapped with it or passed as it somewhere in the translation unit, by way of any number of others.
// Insensitive to order.
#pragma once

#include <map>
#include <set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace muster::plugin {

class Aliases {
 public:
  explicit Aliases(clang::ASTContext& context);
  // Whether the buffer that `owner` is declared for may be what `name` names. Two arrays that one function gets as the
  // same parameter are not aliases of each other. Used for the class of arrays, never for correctness.
  bool mayName(const clang::ValueDecl* name, const clang::ValueDecl* owner) const;
  // Whether two variables, or members, may name storage of one variable or member, as far as this file assigns it to
  // them. What functions are given does not count: one that is called with two arrays is not always given the same.
  bool mayShare(const clang::ValueDecl* left, const clang::ValueDecl* right) const;

  enum class Way { Assigned, Passed };
  void addFlow(const clang::ValueDecl* from, const clang::ValueDecl* to, Way way);

 private:
  using Flows = std::map<const clang::ValueDecl*, std::set<const clang::ValueDecl*>>;
  static std::set<const clang::ValueDecl*> reachable(const Flows& flows, const clang::ValueDecl* start);

  Flows flows_;
  Flows sources_;  // of what is assigned
};

}  // namespace muster::plugin
