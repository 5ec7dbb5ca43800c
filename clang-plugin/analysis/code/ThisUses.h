// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a loop's body spells `this`: native code gives it another name.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "clang/AST/Expr.h"

namespace muster::plugin {

// `[this]`, or `[=]` where that captures `this`: members are references there, to be captured as such.
struct ThisCapture {
  clang::SourceLocation loc;
  unsigned length;   // of what is replaced
  std::string text;  // in its place
};

struct ThisUses {
  std::vector<clang::SourceLocation> keywords;  // `this`
  // Names of methods that are called without it, and of members that references cannot stand for.
  std::vector<clang::SourceLocation> prefixed;
  std::set<const clang::FieldDecl*> fields;  // other members that are named without it
  std::vector<ThisCapture> captures;
};

ThisUses thisUses(const clang::Stmt* statement);

}  // namespace muster::plugin
