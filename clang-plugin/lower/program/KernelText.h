// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/UnitFunctions.h"
#include "plan/Plan.h"

namespace muster::plugin {

// The text of a kernel, or of functions for kernels.
struct KernelText {
  std::string text;
  std::string refusal;  // empty if text is there
  bool needsFp64 = false;
  Schedule schedule = {};  // of a kernel: the plan's, where the text can do it
};
KernelText printKernel(const clang::ASTContext& context, const KernelPlan& kernel, llvm::raw_ostream* ir);

// The same of a function that kernels of other units may call, by its deviceName; it must be one that has `facts`.
KernelText printFunction(const clang::ASTContext& context, const UnitFunction& function);

}  // namespace muster::plugin
