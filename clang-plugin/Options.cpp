// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing of the plugin's arguments.
#include "Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace muster::plugin {
namespace {

bool parseRemarks(llvm::StringRef value, Options& options) {
  if (value == "all")
    options.remarks = RemarkLevel::All;
  else if (value == "missed")
    options.remarks = RemarkLevel::Missed;
  else if (value == "none")
    options.remarks = RemarkLevel::None;
  else
    return false;
  return true;
}

bool parsePrint(llvm::StringRef value, Options& options) {
  llvm::SmallVector<llvm::StringRef, 4> stages;
  value.split(stages, ',');
  for (llvm::StringRef stage : stages) {
    bool* flag = llvm::StringSwitch<bool*>(stage)
                     .Case("directives", &options.printDirectives)
                     .Case("facts", &options.printFacts)
                     .Case("plan", &options.printPlan)
                     .Case("schedule", &options.printSchedule)
                     .Case("ir", &options.printIr)
                     .Case("kernels", &options.printKernels)
                     .Case("rewrite", &options.printRewrite)
                     .Default(nullptr);
    if (!flag) return false;
    *flag = true;
  }
  return true;
}

}  // namespace

Options parseOptions(clang::DiagnosticsEngine& diagnostics, const std::vector<std::string>& arguments) {
  Options options;
  for (const std::string& argument : arguments) {
    const auto [name, value] = llvm::StringRef(argument).split('=');
    bool known = false;
    if (argument == "remarks") {
      options.remarks = RemarkLevel::All;
      known = true;
    } else if (argument == "strict") {
      options.strict = true;
      known = true;
    } else if (argument == "summary") {
      options.summary = true;
      known = true;
    } else if (name == "remarks") {
      known = parseRemarks(value, options);
    } else if (name == "print") {
      known = parsePrint(value, options);
    }
    if (known) continue;
    reportError(diagnostics, clang::SourceLocation(),
                "muster: unknown plugin argument '" + argument +
                    "'; the arguments are: remarks, remarks=all|missed|none, strict, summary, "
                    "print=directives|facts|plan|schedule|ir|kernels|rewrite (several with commas)");
    options.valid = false;
  }
  return options;
}

}  // namespace muster::plugin
