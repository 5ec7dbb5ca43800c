// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/facts/Context.h"

namespace muster::plugin {

bool LoopContext::refuse(clang::SourceLocation loc, std::string what) {
  if (facts.refusal) return false;
  putInWords(ast, calls, loc, what);
  facts.refusal = Refusal{loc, std::move(what)};
  return false;
}

}  // namespace muster::plugin
