// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/ClauseValues.h"

#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/OpenMPClause.h"

namespace muster::plugin {

using namespace clang;

const Expr* clauseValue(const Expr* value) {
  if (!value) return nullptr;
  if (auto* reference = dyn_cast<DeclRefExpr>(value->IgnoreImplicit()))
    if (auto* captured = dyn_cast<OMPCapturedExprDecl>(reference->getDecl()))
      return captured->getInit()->IgnoreImplicit();
  return value->IgnoreImplicit();
}

const Expr* valueOfClause(const OMPClause* clause) {
  if (auto* threads = dyn_cast<OMPNumThreadsClause>(clause)) return clauseValue(threads->getNumThreads());
  if (auto* schedule = dyn_cast<OMPScheduleClause>(clause)) return clauseValue(schedule->getChunkSize());
  if (auto* condition = dyn_cast<OMPIfClause>(clause)) return clauseValue(condition->getCondition());
  return nullptr;
}

bool hasKnownChunks(const OMPExecutableDirective* directive) {
  const auto* schedule = directive->getSingleClause<OMPScheduleClause>();
  return schedule && schedule->getChunkSize() && !hasClause<OMPOrderClause>(directive) &&
         (schedule->getScheduleKind() == OMPC_SCHEDULE_static || schedule->getScheduleKind() == OMPC_SCHEDULE_dynamic);
}

bool isUneven(const OMPExecutableDirective* directive) {
  const auto* schedule = directive->getSingleClause<OMPScheduleClause>();
  return schedule &&
         (schedule->getScheduleKind() == OMPC_SCHEDULE_dynamic || schedule->getScheduleKind() == OMPC_SCHEDULE_guided);
}

bool hasThreadParts(const OMPExecutableDirective* directive) {
  if (hasClause<OMPOrderClause>(directive) || hasClause<OMPDistScheduleClause>(directive)) return false;
  const auto* schedule = directive->getSingleClause<OMPScheduleClause>();
  return !schedule || schedule->getScheduleKind() == OMPC_SCHEDULE_runtime ||
         (schedule->getScheduleKind() == OMPC_SCHEDULE_static && !schedule->getChunkSize());
}

}  // namespace muster::plugin
