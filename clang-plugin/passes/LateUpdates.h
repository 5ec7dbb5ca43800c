// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several iterations of a loop that only updates elements, as a histogram's: what they read first, then their updates.
// A work-item then waits for all of its reads together. Updates are done in any order as it is.
//
//   h[key[i]]++;     const long at0 = key[i0], at1 = key[i1]; h[at0]++; h[at1]++;
#pragma once

#include <optional>
#include <string>

#include "ir/Statement.h"
#include "passes/Elements.h"

namespace muster::plugin::passes {

struct LateContext {
  std::string counter, stride;  // the iteration's number, and a number of iterations
  Memory memory;
};

// Iterations whose numbers are `counter`, a `stride` further, and so on; of each `width` beside each other.
struct LateIterations {
  unsigned lanes = 0, width = 1;
  ir::Statements code;
  // What is read by accesses of 16 bytes, which has to be aligned in the first iteration; none with a width of one. And
  // what an iteration defines in front of it.
  ir::Expression element = {};
  ir::Statements before = {};
};

// None: an iteration has more than definitions and updates, or what it updates by has to be read. Accesses are wide
// where all that iterations read next to each other is one element of an array. `row`: the variable that is greater by
// one in the next iteration; "": there is none.
std::optional<LateIterations> updatesLast(const ir::Statements& iteration, const LateContext& context,
                                          const std::string& row);

}  // namespace muster::plugin::passes
