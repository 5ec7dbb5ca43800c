// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a loop's body spells `this`: native code gives it another name.
#pragma once

#include <set>
#include <vector>

#include "clang/AST/Expr.h"

namespace muster::plugin {

struct ThisUses {
  std::vector<clang::SourceLocation> keywords;  // `this`
  std::vector<clang::SourceLocation> methods;   // names of methods that are called without it
  std::set<const clang::FieldDecl*> fields;     // that are named without it
};

ThisUses thisUses(const clang::Stmt* statement);

}  // namespace muster::plugin
