// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/PrintKernels.h"

#include "lower/program/KernelText.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

// A text that is much longer than the calls in a loop is no use to one, and every unit carries its own.
static constexpr std::size_t kLongestText = 16384;

void printKernels(const clang::ASTContext& context, TranslationUnitPlan& plan, llvm::raw_ostream* ir) {
  for (KernelPlan& kernel : plan.kernels) {
    const LoopFacts& facts = *kernel.facts;
    KernelText text =
        facts.openclRefusal ? KernelText{"", facts.openclRefusal->what, false} : printKernel(context, kernel, ir);
    kernel.opencl = std::move(text.text);
    kernel.openclReason = std::move(text.refusal);
    kernel.needsFp64 = text.needsFp64;
    if (!kernel.opencl.empty()) kernel.schedule = std::move(text.schedule);
    kernel.usesFloats = llvm::any_of(llvm::ArrayRef({"float", "double", "half"}), [&](llvm::StringRef name) {
      return llvm::StringRef(kernel.opencl).contains(name);
    });
    kernel.usesFloats |= !facts.unseen.empty();
  }
}

std::vector<UnitFunction> printFunctions(clang::ASTContext& context,
                                         const std::set<const clang::FunctionDecl*>& launchedOrphans,
                                         unsigned floatRules) {
  std::vector<UnitFunction> functions = unitFunctions(context, launchedOrphans);
  for (UnitFunction& function : functions) {
    if (!function.facts) continue;
    KernelText text = printFunction(context, function);
    if (text.text.size() > kLongestText) text = {"", say::TooLongForKernels, false};
    function.opencl = std::move(text.text);
    function.openclReason = std::move(text.refusal);
    function.needsFp64 = text.needsFp64;
    function.floatRules = floatRules;
    function.definition = nullptr;  // the tree does not outlive the parse
    function.facts = nullptr;
  }
  return functions;
}

}  // namespace muster::plugin
