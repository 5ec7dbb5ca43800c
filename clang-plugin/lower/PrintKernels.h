// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/UnitFunctions.h"
#include "plan/Plan.h"

namespace muster::plugin {

// OpenCL C 1.2 text of the plan's kernels (signature: docs/architecture.md), or why there is none.
// `ir`: not nullptr gets the code of their iterations as it is lowered, and as passes leave it.
void printKernels(const clang::ASTContext& context, TranslationUnitPlan& plan, llvm::raw_ostream* ir);

// The functions of the unit that kernels of other units may call, with their texts.
std::vector<UnitFunction> printFunctions(clang::ASTContext& context,
                                         const std::set<const clang::FunctionDecl*>& launchedOrphans,
                                         unsigned floatRules);

}  // namespace muster::plugin
