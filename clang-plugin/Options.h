// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugin's arguments (-fplugin-arg-muster-...), parsed once.
#pragma once

#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "source/Remarks.h"

namespace muster::plugin {

struct Options {
  bool valid = true;  // an unknown argument was reported: only keep clang from tripping over directives
  RemarkLevel remarks = RemarkLevel::Missed;
  bool strict = false;   // what steps back is an error
  bool summary = false;  // one remark with the numbers of loops and arrays
  bool printDirectives = false, printFacts = false, printPlan = false, printSchedule = false;
  bool printIr = false, printKernels = false, printRewrite = false;
};

// An unknown argument is reported as an error.
Options parseOptions(clang::DiagnosticsEngine& diagnostics, const std::vector<std::string>& arguments);

}  // namespace muster::plugin
