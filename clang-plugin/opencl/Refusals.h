// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a loop has no OpenCL text: the first reason that printing met. Printing goes on after it, and its result is
// thrown away.
#pragma once

#include <string>

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/Twine.h"

namespace muster::plugin::opencl {

class Refusals {
 public:
  explicit Refusals(const clang::SourceManager& sources) : sources_(sources) {}

  void add(clang::SourceLocation loc, const llvm::Twine& what) {
    if (!first_.empty()) return;
    first_ = what.str();
    if (loc.isValid())
      first_ += " (line " + std::to_string(sources_.getPresumedLoc(sources_.getExpansionLoc(loc)).getLine()) + ")";
  }
  bool any() const { return !first_.empty(); }
  const std::string& first() const { return first_; }

 private:
  const clang::SourceManager& sources_;
  std::string first_;
};

}  // namespace muster::plugin::opencl
