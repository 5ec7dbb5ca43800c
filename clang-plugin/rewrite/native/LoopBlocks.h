// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native loops in blocks: one block of iterations per thread, and an ordinary loop over the user's variable inside.
//
// In `for (k = 0; k < n; ++k) { int i = first + k; ... }` the optimiser does not see the user's own loop over `i`: that
// first[i + 1] is the next iteration's first[i] (sparse matrices in rows took 4 % longer), or that `double(i)` is the
// conversion of a counter (`a[i] = i + r` took 1.8 times as long).
#pragma once

#include "analysis/facts/Facts.h"

namespace clang {
class ASTContext;
}

namespace muster::plugin {

// Does the loop count upwards by one to a bound, and have no clause that says which thread runs which iterations?
bool runsInBlocks(const LoopFacts& facts, const clang::ASTContext& context);

}  // namespace muster::plugin
