// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/native/LoopBlocks.h"

#include <numeric>

#include "analysis/loops/SimdLoops.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/OpenMPKinds.h"

namespace muster::plugin {

using namespace clang;

// What is private or a result in a vectorised loop would have to be so in two directives.
static bool hasOwnSchedule(const LoopFacts& facts) {
  const bool isSimd = isOpenMPSimdDirective(facts.directive->getDirectiveKind());
  if (isSimd && (facts.collapsed == 1 || !facts.privates.empty() || !facts.results.empty() || !facts.sections.empty()))
    return true;
  return llvm::any_of(facts.directive->clauses(), [](const OMPClause* clause) {
    return !clause->isImplicit() &&
           !isa<OMPPrivateClause, OMPFirstprivateClause, OMPSharedClause, OMPDefaultClause, OMPReductionClause,
                OMPNowaitClause, OMPCollapseClause, OMPMapClause, OMPNumTeamsClause, OMPThreadLimitClause>(clause);
  });
}

bool runsInBlocks(const LoopFacts& facts, unsigned innermost, const ASTContext& context) {
  const llvm::ArrayRef<DimFact> dims = llvm::ArrayRef(facts.dims).take_front(facts.collapsed);
  const DimFact& dim = dims[innermost];
  // Upwards and below a bound: the end of each block is a value of the variable's type.
  // The choices of records know the number of their iteration.
  if (!facts.records.empty() || dim.step || dim.down || dim.relation != BO_LT || hasOwnSchedule(facts) ||
      llvm::any_of(dims, [](const DimFact& each) { return each.pointer != nullptr; }))
    return false;
  return context.getTypeSize(dim.var->getType()) >= context.getTypeSize(context.IntTy);
}

// Sums would be put together in another order, and a last value would be another iteration's.
static bool mayReorder(const LoopFacts& facts) {
  const bool isOrdered = facts.mayCarry || facts.mayCarryInParts || facts.mayCarryInChunks;
  return !isOrdered && facts.results.empty() && facts.sections.empty() && facts.linears.empty() &&
         !isOpenMPSimdDirective(facts.directive->getDirectiveKind());
}

// Elements nearer to each other share lines of the cache in the program's order, too; shorter runs do not pay for where
// they begin, which takes a division.
static constexpr std::int64_t kFarElements = 8, kShortestRun = 16;

static bool gains(const LoopFacts& facts, unsigned innermost, const ASTContext& context) {
  const bool areFar = llvm::all_of(facts.accesses, [](const AccessFact& access) { return access.index.has_value(); }) &&
                      strideAlong(facts, facts.collapsed - 1) >= std::pair<std::size_t, std::int64_t>(0, kFarElements);
  const DimFact& dim = facts.dims[innermost];
  Expr::EvalResult first, end;
  const bool isKnown =
      dim.lower && dim.bound && dim.lower->EvaluateAsInt(first, context) && dim.bound->EvaluateAsInt(end, context);
  return areFar && (!isKnown || end.Val.getInt().getExtValue() - first.Val.getInt().getExtValue() >= kShortestRun);
}

std::vector<unsigned> nativeOrder(const KernelPlan& kernel, const ASTContext& context) {
  const LoopFacts& facts = *kernel.facts;
  const std::vector<unsigned>& axes = kernel.schedule.dims;
  std::vector<unsigned> order(facts.collapsed);
  std::iota(order.begin(), order.end(), 0);
  const bool isReordered = axes.size() == order.size() && kernel.schedule.isReordered();
  if (isReordered && mayReorder(facts) && runsInBlocks(facts, axes.front(), context) &&
      gains(facts, axes.front(), context))
    order.assign(axes.rbegin(), axes.rend());
  return order;
}

static bool isMemory(const VarDecl* var) {
  const QualType type = var->getType().getNonReferenceType();
  return type->isArrayType() || type->isRecordType();
}

static bool definesMemory(const Stmt* statement) {
  if (!statement) return false;
  if (const auto* declaration = llvm::dyn_cast<DeclStmt>(statement))
    for (const Decl* each : declaration->decls()) {
      const auto* var = llvm::dyn_cast<VarDecl>(each);
      if (var && var->hasLocalStorage() && !var->getType()->isReferenceType() && isMemory(var)) return true;
    }
  return llvm::any_of(partsOf(statement), definesMemory);
}

bool mayBeSimd(const LoopFacts& facts) {
  return isOpenMPSimdDirective(facts.directive->getDirectiveKind()) && !definesMemory(facts.body) &&
         llvm::none_of(facts.privates, isMemory) &&
         llvm::none_of(facts.callees, [](const FunctionDecl* callee) { return definesMemory(callee->getBody()); });
}

}  // namespace muster::plugin
