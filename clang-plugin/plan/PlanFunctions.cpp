// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that loops of other units may call on devices.
#include "Stages.h"

namespace muster::plugin {

// A text that is much longer than the calls in a loop is no use to one, and every unit carries its own.
static constexpr std::size_t kLongestText = 16384;

std::vector<UnitFunction> planFunctions(clang::ASTContext& context,
                                        const std::set<const clang::FunctionDecl*>& launchedOrphans,
                                        bool anyDenormals) {
  std::vector<UnitFunction> functions = unitFunctions(context, launchedOrphans);
  for (UnitFunction& function : functions) {
    if (!function.facts) continue;
    KernelText text = printFunction(context, function);
    if (text.text.size() > kLongestText) text = {"", "is too long for kernels", false};
    function.opencl = std::move(text.text);
    function.openclReason = std::move(text.refusal);
    function.needsFp64 = text.needsFp64;
    function.anyDenormals = anyDenormals;
    function.definition = nullptr;  // the tree does not outlive the parse
    function.facts = nullptr;
  }
  return functions;
}

}  // namespace muster::plugin
