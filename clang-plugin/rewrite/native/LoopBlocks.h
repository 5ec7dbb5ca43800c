// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native loops in blocks: one block of iterations per thread, and an ordinary loop over the user's variable inside.
//
// In `for (k = 0; k < n; ++k) { int i = first + k; ... }` the optimiser does not see the user's own loop over `i`: that
// first[i + 1] is the next iteration's first[i] (sparse matrices in rows took 4 % longer), or that `double(i)` is the
// conversion of a counter (`a[i] = i + r` took 1.8 times as long). With `collapse`, OpenMP's code finds the variables
// by a division for each iteration; in blocks there is one for each run of the innermost loop. That may be another loop
// than the program's innermost one: where elements lie beside each other along it, it vectorises, and uses whole lines
// of the cache.
#pragma once

#include <vector>

#include "plan/Plan.h"

namespace clang {
class ASTContext;
}

namespace muster::plugin {

// The dimensions of the directive's own loops as native code nests them, the innermost one last: as in the program, or
// in the schedule's order, where iterations may run in any.
std::vector<unsigned> nativeOrder(const KernelPlan& kernel, const clang::ASTContext& context);

// Does the loop of this dimension, the innermost one, count upwards by one to a bound, and is there no clause that says
// which thread runs which iterations? With `simd`, that loop says so.
bool runsInBlocks(const LoopFacts& facts, unsigned innermost, const clang::ASTContext& context);

// Whether native code says `simd` where the directive does. It is a hint. Not of iterations that have arrays or objects
// of their own: clang 19 vectorizes these as if each had its own, and leaves all of them one, which they overwrite.
bool mayBeSimd(const LoopFacts& facts);

}  // namespace muster::plugin
