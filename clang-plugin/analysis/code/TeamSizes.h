// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that a program computes from how many threads a team has: it asks the OpenMP library, or says so itself. With
// them it can tell which iterations of a static schedule one thread gets. Insensitive to order, over the file.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace muster::plugin {

class TeamSizes {
 public:
  explicit TeamSizes(const clang::ASTContext& context) : context_(context) {}
  // Whether code uses such a value: of a variable, a member of whatever object, elements, a function's result.
  bool usedIn(const clang::Stmt* code) const;
  // Whether other units may get such a value: by a name that they see, or since they are given it.
  bool toldToOthers() const;

  using Flows = std::map<const clang::ValueDecl*, std::set<const clang::ValueDecl*>>;

 private:
  const std::set<const clang::ValueDecl*>& known() const;
  bool isSeenByOthers(const clang::ValueDecl* decl) const;

  const clang::ASTContext& context_;
  mutable std::optional<std::set<const clang::ValueDecl*>> known_;  // of the file; found when it is first asked for
  // Variables that have been the number of threads itself, and nothing else.
  mutable std::set<const clang::ValueDecl*> answers_;
  mutable bool isPassed_ = false;  // to functions of other units
};

}  // namespace muster::plugin
