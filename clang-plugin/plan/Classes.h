// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitioned or replicated: what the loops of this translation unit say about each managed array.
#pragma once

#include "analysis/code/Aliases.h"
#include "plan/Plan.h"

namespace muster::plugin {

// Whether an array of a loop, perhaps a member of an object, may be the one that `owner` is declared for.
bool mayName(const Aliases& aliases, const LoopFacts& facts, const ArrayFact& array, const clang::ValueDecl* owner);

// Sets `replicated` and `reason` of each array.
void classifyArrays(const Aliases& aliases, const std::vector<LoopFacts>& loops,
                    const std::vector<StepBackPlan>& stepBacks, const clang::SourceManager& sources,
                    std::vector<ArrayPlan>& arrays);

}  // namespace muster::plugin
