// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table by which a unit tells the runtime about its functions (muster_function in muster/abi.h).
#pragma once

#include <memory>
#include <vector>

#include "analysis/UnitFunctions.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/LangOptions.h"

namespace muster::plugin {

using UnitFunctions = std::shared_ptr<std::vector<UnitFunction>>;

// What of floating-point arithmetic the options leave open: flags of MUSTER_KERNEL_FLOAT_RULES.
unsigned floatRules(const clang::LangOptions& language, const clang::CodeGenOptions& code);

// What is made of a parse with these options registers `functions`, which may still change until code is generated.
void emitFunctionTable(clang::CodeGenOptions& options, UnitFunctions functions);

}  // namespace muster::plugin
