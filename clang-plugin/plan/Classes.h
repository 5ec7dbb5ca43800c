// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitioned or replicated: what the loops of this translation unit say about each managed array.
#pragma once

#include "plan/Aliases.h"
#include "plan/Plan.h"

namespace muster::plugin {

// Sets `replicated` and `reason` of each array.
void classifyArrays(const Aliases& aliases, const std::vector<LoopFacts>& loops,
                    const std::vector<StepBackPlan>& stepBacks, const clang::SourceManager& sources,
                    std::vector<ArrayPlan>& arrays);

}  // namespace muster::plugin
