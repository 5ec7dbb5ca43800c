// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/LoopBlocks.h"

#include "analysis/Affine.h"
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

// a[i + 1] and a[i]
static bool followsIn(const AccessFact& next, const AccessFact& access) {
  if (!next.index || !access.index || next.array != access.array || next.index->factors != access.index->factors)
    return false;
  const Polynomial stride = factorOf(*access.index, 0);
  return !stride.empty() && add(access.index->constant, stride) == next.index->constant;
}

bool gainsByBlocks(const LoopFacts& facts, const ASTContext& context) {
  const DimFact& dim = facts.dims.front();
  // Upwards and below a bound: the end of each block is a value of the variable's type.
  // The choices of records know the number of their iteration.
  if (facts.collapsed != 1 || !facts.records.empty() || dim.step || dim.down || dim.relation != BO_LT || dim.pointer ||
      hasOwnSchedule(facts))
    return false;
  if (context.getTypeSize(dim.var->getType()) < context.getTypeSize(context.IntTy)) return false;
  const auto& accesses = facts.accesses;
  const bool sparse = llvm::any_of(accesses, [](const AccessFact& access) { return !access.index; });
  return sparse && llvm::any_of(accesses, [&](const AccessFact& access) {
           return !access.write && !access.update && llvm::any_of(accesses, [&](const AccessFact& next) {
             return !next.write && !next.update && followsIn(next, access);
           });
         });
}

}  // namespace muster::plugin
