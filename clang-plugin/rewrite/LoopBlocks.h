// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native loops in blocks: one block of iterations per thread, and an ordinary loop over the user's variable inside.
//
// In `for (k = 0; k < n; ++k) { int i = first + k; ... }` the optimiser does not see that first[i + 1] is the next
// iteration's first[i], as it does in the user's own loop from 0: sparse matrices in rows took 4 % longer for it.
#pragma once

#include "analysis/Facts.h"

namespace clang {
class ASTContext;
}

namespace muster::plugin {

// Does the loop read elements that its next iteration reads again, around an inner loop that does not become vectors;
// and has no clause that says which thread runs which iterations?
bool gainsByBlocks(const LoopFacts& facts, const clang::ASTContext& context);

}  // namespace muster::plugin
