// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/SimdLoops.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/OpenMPClause.h"
#include "source/AstVisitor.h"
#include "source/Compat.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

const Stmt* withoutHint(const Stmt* statement) {
  auto* simd = dyn_cast_or_null<OMPSimdDirective>(statement);
  return simd ? simd->getRawStmt() : statement;
}

llvm::SmallVector<const Stmt*, 8> partsOf(const Stmt* statement) {
  if (auto* captured = dyn_cast<CapturedStmt>(statement)) return {captured->getCapturedStmt()};
  const auto children = statement->children();
  return {children.begin(), children.end()};
}

// The variable that an item of a clause names; nullptr: a member, or a part of an array.
static const VarDecl* variableOfItem(const Expr* item) {
  auto* reference = dyn_cast<DeclRefExpr>(item->IgnoreParenImpCasts());
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return var && !isa<OMPCapturedExprDecl>(var) ? var : nullptr;
}

static bool namesMember(const Expr* item) {
  auto* reference = dyn_cast<DeclRefExpr>(item->IgnoreParenImpCasts());
  return reference && isa<OMPCapturedExprDecl>(reference->getDecl());
}

template <class Clause>
static void addItems(const Clause* clause, std::vector<const Expr*>& items) {
  for (const Expr* item : compat::items(clause)) items.push_back(item);
}

static std::vector<const Expr*> itemsOf(const OMPClause* clause) {
  std::vector<const Expr*> items;
  if (auto* own = dyn_cast<OMPPrivateClause>(clause)) addItems(own, items);
  if (auto* last = dyn_cast<OMPLastprivateClause>(clause)) addItems(last, items);
  if (auto* reduction = dyn_cast<OMPReductionClause>(clause)) addItems(reduction, items);
  if (auto* linear = dyn_cast<OMPLinearClause>(clause)) addItems(linear, items);
  if (auto* aligned = dyn_cast<OMPAlignedClause>(clause)) addItems(aligned, items);
  if (auto* nontemporal = dyn_cast<OMPNontemporalClause>(clause)) addItems(nontemporal, items);
  return items;
}

std::string whyNoHint(const OMPSimdDirective* directive) {
  for (const OMPClause* clause : directive->clauses()) {
    const std::string name = llvm::omp::getOpenMPClauseName(clause->getClauseKind()).str();
    if (!isa<OMPPrivateClause, OMPLastprivateClause, OMPReductionClause, OMPLinearClause, OMPAlignedClause,
             OMPNontemporalClause, OMPSafelenClause, OMPSimdlenClause, OMPCollapseClause, OMPOrderClause, OMPIfClause>(
            clause))
      return say::SimdClause(name);
    auto* reduction = dyn_cast<OMPReductionClause>(clause);
    if (reduction && reduction->getModifier() != OMPC_REDUCTION_unknown &&
        reduction->getModifier() != OMPC_REDUCTION_default)
      return say::SimdReductionModifier;
    auto* last = dyn_cast<OMPLastprivateClause>(clause);
    if (last && last->getKind() == OMPC_LASTPRIVATE_conditional) return say::SimdLastprivateModifier;
    if (llvm::any_of(itemsOf(clause), namesMember)) return say::SimdMemberInClause(name);
  }
  return "";
}

std::vector<const VarDecl*> ownVariables(const OMPSimdDirective* directive) {
  std::vector<const VarDecl*> own;
  for (const OMPClause* clause : directive->clauses())
    if (isa<OMPPrivateClause>(clause))
      for (const Expr* item : itemsOf(clause))
        if (const VarDecl* var = variableOfItem(item)) own.push_back(var);
  return own;
}

std::vector<const VarDecl*> followingVariables(const OMPSimdDirective* directive) {
  const auto changed = changedVariables(directive->getRawStmt());
  std::vector<const VarDecl*> following;
  for (const OMPClause* clause : directive->clauses())
    if (isa<OMPLinearClause>(clause))
      for (const Expr* item : itemsOf(clause))
        if (const VarDecl* var = variableOfItem(item); var && !changed.count(var)) following.push_back(var);
  return following;
}

std::vector<const Expr*> clauseOperands(const OMPSimdDirective* directive) {
  std::vector<const Expr*> operands;
  for (const OMPClause* clause : directive->clauses()) {
    const auto items = itemsOf(clause);
    operands.insert(operands.end(), items.begin(), items.end());
    if (auto* linear = dyn_cast<OMPLinearClause>(clause); linear && linear->getStep())
      operands.push_back(clauseValue(linear->getStep()));
  }
  if (const Expr* condition = conditionOf(directive)) operands.push_back(condition);
  return operands;
}

const Expr* conditionOf(const OMPSimdDirective* directive) {
  for (const OMPClause* clause : directive->clauses())
    if (auto* condition = dyn_cast<OMPIfClause>(clause)) return clauseValue(condition->getCondition());
  return nullptr;
}

namespace {

// Variables that simd loops have copies of, and those that are named elsewhere.
class OwnFinder : public AstVisitor {
 public:
  std::vector<const VarDecl*> own;
  std::set<const VarDecl*> elsewhere, inside;

  bool TraverseOMPSimdDirective(OMPSimdDirective* directive) override {
    const auto hidden = ownVariables(directive);
    own.insert(own.end(), hidden.begin(), hidden.end());
    const std::size_t before = hidden_.size();
    hidden_.insert(hidden_.end(), hidden.begin(), hidden.end());
    const bool result = TraverseStmt(const_cast<Stmt*>(directive->getRawStmt()));
    hidden_.resize(before);
    return result;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (var && !llvm::is_contained(hidden_, var)) elsewhere.insert(var);
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    inside.insert(var);
    return true;
  }

 private:
  std::vector<const VarDecl*> hidden_;
};

}  // namespace

std::set<const VarDecl*> alignedArrays(const Stmt* body) {
  class Finder : public AstVisitor {
   public:
    std::set<const VarDecl*> found;
    bool VisitOMPSimdDirective(OMPSimdDirective* directive) override {
      for (const OMPClause* clause : directive->clauses())
        if (isa<OMPAlignedClause>(clause))
          for (const Expr* item : itemsOf(clause)) found.insert(variableOfItem(item));
      return true;
    }
  };
  Finder finder;
  finder.TraverseStmt(const_cast<Stmt*>(body));
  return std::move(finder.found);
}

void readSimdLoops(LoopContext& context) {
  OwnFinder finder;
  finder.TraverseStmt(const_cast<Stmt*>(context.facts.body));
  for (const VarDecl* var : finder.own) {
    if (finder.inside.count(var) || finder.elsewhere.count(var) || !isPrivateType(context.ast, var->getType()))
      continue;
    if (!context.roles.emplace(var, Role::Private).second) continue;
    context.facts.privates.push_back(var);
  }
}

}  // namespace muster::plugin
