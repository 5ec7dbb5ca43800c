// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other translation units, whose parallel regions call functions of this one, have to know of these
// (docs/decisions/0019-functions-of-other-units.md).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/facts/Facts.h"
#include "clang/AST/ASTContext.h"

namespace muster::plugin {

// A function that other units may call by its name. Why it "calls ...": empty if nothing is known against it, and
// nothing is in those of other units that it calls.
struct UnitFunction {
  std::string name;              // the linker's; empty: this is about the unit
  std::string whyTeam;           // one thread must not run it in place of a team
  std::string whyHere;           // iterations on other ranks must not call it
  std::set<std::string> unseen;  // functions of other units that it calls, perhaps through others of this one
  // Unless there is a whyHere, what is needed to print it, and then its OpenCL text, if there is one.
  const clang::FunctionDecl* definition = nullptr;
  std::shared_ptr<LoopFacts> facts;
  std::string opencl, openclReason;
  bool needsFp64 = false;
  unsigned floatRules = 0;                                     // flags of MUSTER_KERNEL_FLOAT_RULES
  bool addsUp = false, updates = false;                        // MUSTER_FUNCTION_ADDS_UP, MUSTER_FUNCTION_UPDATES
  bool tellsThreads = false;                                   // MUSTER_FUNCTION_TELLS_THREADS
  std::vector<std::pair<std::int64_t, std::int64_t>> reaches;  // muster_reach
};

// `launchedOrphans`: functions whose worksharing loops become launches where one thread calls them (FileFacts).
std::vector<UnitFunction> unitFunctions(clang::ASTContext& context,
                                        const std::set<const clang::FunctionDecl*>& launchedOrphans);

}  // namespace muster::plugin
