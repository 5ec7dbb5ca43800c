// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of a thread's are neutral where it has no iterations: what they start with, and what the code around
// the loops writes to them.
#include "analysis/counts/NeutralValues.h"
#include "analysis/teams/ThreadQueries.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "muster/abi.h"
#include "source/Compat.h"

namespace muster::plugin {

using namespace clang;

std::optional<unsigned> sumKindOf(const OMPReductionClause* clause) {
  switch (clause->getNameInfo().getName().getCXXOverloadedOperator()) {
    case OO_Plus:
    case OO_Minus:
      return MUSTER_REDUCE_ADD;
    case OO_Star:
      return MUSTER_REDUCE_MUL;
    case OO_Caret:
      return MUSTER_REDUCE_XOR;
    default:
      return std::nullopt;
  }
}

bool NeutralValues::neutralVariable(const OwnPlace& place) {
  const VarDecl* var = place.var;
  if (var && !scope_.privates.count(var)) return false;
  if (place.isObject && scope_.region) return false;
  const auto [known, isNew] = known_.try_emplace({var, place.path}, true);
  if (!isNew) return known->second;
  const bool result =
      neutralStart(var, place.path) && (!var || addedInLoops(var, place.path)) && neutralWrites(var, place.path);
  return known_[{var, place.path}] = result;
}

template <class Clause>
static bool names(const OMPExecutableDirective* directive, const VarDecl* var) {
  for (const OMPClause* clause : directive->clauses())
    if (auto* own = dyn_cast<Clause>(clause))
      for (const Expr* item : compat::items(own))
        if (variableNamed(item) == var) return true;
  return false;
}

bool NeutralValues::neutralStart(const VarDecl* var, const MemberPath& path) {
  auto* parameter = dyn_cast_or_null<ParmVarDecl>(var);
  if (!scope_.region && (!var || parameter)) {
    // Which parts of it a function copies is not followed.
    needs.insert({parameter, path, kind_});
    return true;
  }
  if (scope_.reduced.count(var))
    return llvm::any_of(scope_.region->clauses(), [&](const OMPClause* clause) {
      auto* reduction = dyn_cast<OMPReductionClause>(clause);
      return reduction && sumKindOf(reduction) == kind_ &&
             llvm::any_of(compat::items(reduction),
                          [&](const Expr* item) { return writes_->placeOf(item).var == var; });
    });
  return !scope_.region || !names<OMPFirstprivateClause>(scope_.region, var) || neutralOutside(var, path);
}

// A copy of a variable of the function that is known to be neutral whenever the region starts.
bool NeutralValues::neutralOutside(const VarDecl* var, const MemberPath& path) {
  auto* function = dyn_cast_or_null<FunctionDecl>(var->getParentFunctionOrMethod());
  const FunctionDecl* definition = function && function->hasBody(function) ? function : nullptr;
  if (!definition || isa<ParmVarDecl>(var) || !var->hasLocalStorage() || !var->hasInit()) return false;
  const TeamScope scope = scopeOf(definition);
  const OwnWrites writes(ast_, scope, scope_.region);
  return llvm::all_of(writes.of(var), [&](const OwnWrite& write) {
    if (write.kind != OwnWrite::Assigned || !write.value) return false;
    if (isIdentity(write.value)) return true;
    auto* list = dyn_cast<InitListExpr>(bareValue(write.value));
    return list && write.path.empty() && neutral(list, path);
  });
}

const std::vector<TeamVariable>& NeutralValues::loopUses(const VarDecl* var) {
  if (!loopUses_) {
    loopUses_.emplace();
    for (const OMPLoopDirective* loop : writes_->loops())
      for (const TeamVariable& use : teamVariables(ast_, scope_, loop)) (*loopUses_)[use.var].push_back(use);
  }
  return (*loopUses_)[var];
}

bool NeutralValues::comparesParts(const Expr* value) {
  const OwnPlace place = writes_->placeOf(value);
  const auto isSum = [](unsigned kind) {
    return kind == MUSTER_REDUCE_ADD || kind == MUSTER_REDUCE_MUL || kind == MUSTER_REDUCE_XOR;
  };
  return place.var && llvm::any_of(loopUses(place.var), [&](const TeamVariable& use) {
           if (use.use != TeamUse::Updated || use.constant) return false;
           const unsigned index = place.path.empty() ? 0 : place.path.front()->getFieldIndex();
           return isSum(index < use.members.size() ? use.members[index] : use.kind);
         });
}

// What its loops do to it has to be the same operation: the last value that a thread had is another one in each team.
bool NeutralValues::addedInLoops(const VarDecl* var, const MemberPath& path) {
  return llvm::all_of(loopUses(var), [&](const TeamVariable& use) {
    if (use.use == TeamUse::Last) return false;
    if (use.use != TeamUse::Updated) return true;
    if (use.members.empty()) return use.kind == kind_ && !use.constant;
    const auto fits = [&](unsigned kind) { return kind == kind_ || kind == untouchedMember; };
    const unsigned index = path.empty() ? 0 : path.front()->getFieldIndex();
    return path.empty() || index >= use.members.size() ? llvm::all_of(use.members, fits) : fits(use.members[index]);
  });
}

bool NeutralValues::neutralWrites(const VarDecl* var, const MemberPath& path) {
  return llvm::all_of(writes_->of(var), [&](const OwnWrite& write) { return neutralWrite(write, path); });
}

bool NeutralValues::neutralWrite(const OwnWrite& write, const MemberPath& path) {
  const std::size_t common = std::min(write.path.size(), path.size());
  if (!std::equal(path.begin(), path.begin() + common, write.path.begin())) return true;
  const MemberPath rest(path.begin() + common, path.end());
  const bool adds = kind_ == MUSTER_REDUCE_ADD;
  switch (write.kind) {
    case OwnWrite::Assigned:
      return write.value && neutral(write.value, rest);
    case OwnWrite::Updated:
      if (!write.value) return false;
      if (write.opcode == BO_Add || write.opcode == BO_Sub) return adds && neutral(write.value, rest);
      if (write.opcode == BO_Mul || write.opcode == BO_Div)
        return adds ? !dependsOnLoops(write.value) : kind_ == MUSTER_REDUCE_MUL && neutral(write.value, rest);
      return kind_ == MUSTER_REDUCE_XOR &&
             (write.opcode == BO_And || (write.opcode == BO_Xor && neutral(write.value, rest)));
    case OwnWrite::Given:
      return givenNeutral(write, rest);
    case OwnWrite::SameAs:
      return write.other && neutralVariable({write.other, false, rest});
    case OwnWrite::Unknown:
      return false;
  }
  return false;
}

}  // namespace muster::plugin
