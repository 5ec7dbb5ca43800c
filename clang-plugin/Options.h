// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin's arguments (-fplugin-arg-muster-...), parsed once.
#pragma once

#include <string>
#include <vector>

#include "Remarks.h"
#include "clang/Basic/Diagnostic.h"

namespace muster::plugin {

struct Options {
  RemarkLevel remarks = RemarkLevel::Missed;
  bool printDirectives = false, printFacts = false, printPlan = false, printKernels = false, printRewrite = false;
};

// False, with an error reported, if an argument is unknown.
bool parseOptions(clang::DiagnosticsEngine& diagnostics, const std::vector<std::string>& arguments, Options& options);

}  // namespace muster::plugin
