// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code that a team runs holds: its worksharing loops, and what only a team of several threads can do right
// (docs/decisions/0006-regions-run-by-one-thread.md).
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "analysis/facts/Facts.h"
#include "clang/AST/ASTContext.h"

namespace muster::plugin {

struct TeamCode {
  std::vector<const clang::OMPLoopDirective*> loops;  // in the code itself
  // Functions of this translation unit that it calls, directly or through others, where, and in which order.
  std::vector<std::pair<const clang::FunctionDecl*, clang::SourceLocation>> callees;
  // The same for functions whose definitions are elsewhere.
  std::vector<std::pair<const clang::FunctionDecl*, clang::SourceLocation>> unseen;
  std::vector<const clang::CallExpr*> counts;  // answered with the number of threads that the region would have had
  std::vector<const clang::CallExpr*> slots;   // answered with the number of a thread, for each of them in turn
  unsigned callFlags = 0;                      // MUSTER_CALLS_...: counted if not only printed or kept
  bool addsUp = false;                         // does something that shows how many threads run it
  // Why one thread must not run it, if that is so.
  std::optional<Refusal> obstacle;
};

// `region`: an `omp parallel`.
TeamCode readTeamCode(const clang::ASTContext& ast, const clang::OMPExecutableDirective* region);
// A function with its definition. `callees` and `unseen` are what it calls itself.
TeamCode readTeamCode(const clang::ASTContext& ast, const clang::FunctionDecl* function);

// `for` and `for simd`, which share their iterations among the threads of the team around them.
bool isTeamLoop(const clang::OMPExecutableDirective* directive);

}  // namespace muster::plugin
