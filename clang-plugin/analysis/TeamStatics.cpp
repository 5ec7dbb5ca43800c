// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that are there as long as the program, and members, of which a region gives each thread a copy: a launch,
// and the functions that it calls, know the one that is not a copy.
#include "analysis/Context.h"
#include "analysis/TeamVariables.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

using namespace clang;

static Refusal copied(SourceLocation loc, const VarDecl* var) {
  return {loc, "uses '" + var->getNameAsString() +
                   "', a global or static variable of which each thread of the region has a copy"};
}

std::optional<Refusal> copiedStatics(const ASTContext& ast, const TeamScope& scope,
                                     const std::vector<const OMPLoopDirective*>& loops,
                                     const std::vector<const FunctionDecl*>& callees) {
  std::set<const VarDecl*> statics;
  for (const VarDecl* var : scope.privates) {
    if (isa<OMPCapturedExprDecl>(var))
      return Refusal{scope.region->getBeginLoc(),
                     "uses '" + var->getNameAsString() + "', a member of which each thread of the region has a copy"};
    if (var->hasGlobalStorage()) statics.insert(var);
  }
  if (statics.empty()) return std::nullopt;
  for (const OMPLoopDirective* loop : loops)
    for (const TeamVariable& variable : teamVariables(ast, scope, loop))
      if (statics.count(variable.var) && variable.use != TeamUse::Private)
        return copied(variable.first->getLocation(), variable.var);
  for (const FunctionDecl* callee : callees)
    for (const VarDecl* var : statics)
      if (mentions(callee->getBody(), {var})) return copied(scope.region->getBeginLoc(), var);
  return std::nullopt;
}

}  // namespace muster::plugin
