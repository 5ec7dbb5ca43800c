// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a loop has no OpenCL text: the first reason that printing met. Printing goes on after it, and its result is
// thrown away.
#pragma once

#include <string>

#include "analysis/code/Library.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/Twine.h"
#include "source/SourceText.h"

namespace muster::plugin::lower {

class Refusals {
 public:
  explicit Refusals(const clang::ASTContext& ast) : ast_(ast) {}

  void add(clang::SourceLocation loc, const llvm::Twine& what) {
    if (!first_.empty()) return;
    first_ = what.str();
    putInWords(ast_, calls_, loc, first_);
    const clang::SourceManager& sources = ast_.getSourceManager();
    if (loc.isValid() && !sources.isInSystemHeader(loc))
      first_ += " (line " + std::to_string(lineOf(sources, loc)) + ")";
  }
  bool any() const { return !first_.empty(); }
  const std::string& first() const { return first_; }
  // The code of a called function is printed from here on, until leave().
  void enter(const clang::Expr* use, const clang::FunctionDecl* callee) { calls_.push_back({use, callee}); }
  void leave() { calls_.pop_back(); }

 private:
  const clang::ASTContext& ast_;
  std::vector<FollowedCall> calls_;
  std::string first_;
};

}  // namespace muster::plugin::lower
