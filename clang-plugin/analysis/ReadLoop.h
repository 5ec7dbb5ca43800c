// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the passes over one loop.
#pragma once

#include "analysis/code/TeamSizes.h"
#include "analysis/facts/Context.h"
#include "pragma/Directives.h"

namespace muster::plugin {

// Whether a directive's code names anything that elements are reached through.
bool touchesArrays(const clang::OMPExecutableDirective* directive);

class LoopReader {
 public:
  LoopReader(clang::ASTContext& ast, const DirectiveTable& table, const Aliases& aliases);

  // `team`: of a worksharing loop in a parallel region or function.
  LoopFacts read(const clang::OMPExecutableDirective* directive, const clang::FunctionDecl* function,
                 const TeamScope* team) const;
  // What became of it before did not compile.
  std::optional<Refusal> leftOut(const clang::OMPExecutableDirective* directive) const;

 private:
  LoopFacts tryRead(const clang::OMPExecutableDirective* directive, const clang::FunctionDecl* function,
                    const TeamScope* team, bool unevenRows, TableUse& use) const;

  clang::ASTContext& ast_;
  const DirectiveTable& table_;
  const Aliases& aliases_;
  const TeamSizes teamSizes_;
  std::set<const clang::VarDecl*> managed_;
  std::set<const clang::FieldDecl*> managedFields_;
};

}  // namespace muster::plugin
