// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a compile that finds the rewritten text to be wrong: a construct that the rewriter misjudged costs
// speed and never a build.
#pragma once

#include <memory>
#include <string>

#include "Translation.h"

namespace muster::plugin {

// The rewritten text is not parsed ahead of the outer compile to see whether it is right: a parse costs nearly as much
// as the compile. Instead the outer compile's errors are held back, and if there are any, other texts are compiled in
// its place, before it ends. What the stages report waits until then, too.
class Fallback {
 public:
  // The outer compile has the text that came of `translation`.
  Fallback(std::unique_ptr<Translation> translation, DiagnosticFilter& filter, std::string includeFolder);

  // The outer compile has parsed its text, and generates code: further errors are about the user's code.
  void endParse();
  // Of the text that is compiled in the end.
  UnitFunctions functions() const { return translation_->functions(); }
  // To be called when the outer compile has done everything but to close its outputs.
  void finish(clang::CompilerInstance& outer);

 private:
  std::unique_ptr<Translation> translation_;
  DiagnosticFilter& filter_;
  std::string includeFolder_;
};

}  // namespace muster::plugin
