// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often the loops inside an iteration run: short ones may be unrolled into copies of the iteration, which then
// share what they load. An estimate, from which no meaning follows.
#pragma once

#include <string>
#include <vector>

#include "ir/Statement.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace muster::plugin::passes {

// A number of iterations: `constant` and, for each 1 of a launch constant, its factor.
struct LoopCount {
  double constant = 0;
  std::vector<std::pair<unsigned, double>> factors = {};  // by the constant's number
};

struct InnerLoops {
  std::string whyNot;             // a loop that cannot be counted; empty: all can
  double fixed = 1;               // how often the innermost code runs, for each time by `counts`
  std::vector<LoopCount> counts;  // of loops whose bounds are launch constants; the whole is their product
};

// `constantOf`: the number of a name that has one value in the whole launch, or -1.
InnerLoops countInnerLoops(const ir::Statements& body, llvm::function_ref<int(const std::string&)> constantOf);

// Of one loop, whatever is in it.
InnerLoops countLoop(const ir::Statement& loop, llvm::function_ref<int(const std::string&)> constantOf);

}  // namespace muster::plugin::passes
