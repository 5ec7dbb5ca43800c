// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/native/LoopBlocks.h"

#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/OpenMPKinds.h"

namespace muster::plugin {

using namespace clang;

static bool hasOwnSchedule(const LoopFacts& facts) {
  if (isOpenMPSimdDirective(facts.directive->getDirectiveKind())) return true;
  return llvm::any_of(facts.directive->clauses(), [](const OMPClause* clause) {
    return !clause->isImplicit() && !isa<OMPPrivateClause, OMPFirstprivateClause, OMPSharedClause, OMPDefaultClause,
                                         OMPReductionClause, OMPNowaitClause>(clause);
  });
}

bool runsInBlocks(const LoopFacts& facts, const ASTContext& context) {
  const DimFact& dim = facts.dims.front();
  // Upwards and below a bound: the end of each block is a value of the variable's type.
  // The choices of records know the number of their iteration.
  if (facts.collapsed != 1 || !facts.records.empty() || dim.step || dim.down || dim.relation != BO_LT || dim.pointer ||
      hasOwnSchedule(facts))
    return false;
  return context.getTypeSize(dim.var->getType()) >= context.getTypeSize(context.IntTy);
}

}  // namespace muster::plugin
