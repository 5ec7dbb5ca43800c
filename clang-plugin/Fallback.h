// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a compile that finds the rewritten text to be wrong: a construct that the rewriter misjudged costs
// speed and never a build.
#pragma once

#include <string>
#include <vector>

#include "DiagnosticFilter.h"
#include "NestedCompile.h"

namespace muster::plugin {

// What is said when the rewritten text has an error (lineAndText()); `remains`: what the file is compiled as instead.
std::string internalError(const std::string& problem, const std::string& remains);
inline constexpr llvm::StringLiteral kLoopsStayPlain = "the loops of this file stay plain OpenMP";
inline constexpr llvm::StringLiteral kFileStaysPlain = "this file stays plain OpenMP";

// The rewritten text is not parsed ahead of the outer compile to see whether it is right: a parse costs nearly as much
// as the compile. Instead the outer compile's errors are held back, and if there are any, other texts are compiled in
// its place, before it ends.
class Fallback {
 public:
  struct Alternative {
    SourceTexts texts;
    std::string remains;
  };

  // `alternatives`: in the order in which they are tried. The last is the user's own text: its errors are the user's.
  Fallback(NestedCompile nested, DiagnosticFilter& filter, std::string includeFolder,
           std::vector<Alternative> alternatives);

  // The outer compile has parsed its text, and generates code: further errors are about the user's code.
  void endParse();
  // To be called when the outer compile has done everything but to close its outputs.
  void finish(clang::CompilerInstance& outer);

 private:
  NestedCompile nested_;
  DiagnosticFilter& filter_;
  std::string includeFolder_;
  std::vector<Alternative> alternatives_;
};

}  // namespace muster::plugin
