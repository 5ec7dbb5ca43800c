// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that no two threads run at a time: what a thread does there must not depend on how many were there before it,
// nor what it does with what it learnt of that.
#include "analysis/counts/ThreadEffects.h"
#include "analysis/counts/TurnSteps.h"
#include "analysis/teams/ThreadQueries.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Whether code outside of a block uses what its threads have learnt there.
class ToldFinder : public ByAllVisitor {
 public:
  ToldFinder(const OwnWrites& writes, llvm::ArrayRef<const Stmt*> block, const std::set<const VarDecl*>& told)
      : ByAllVisitor(writes.once()), block_(block), told_(told) {}
  const DeclRefExpr* found = nullptr;

  bool TraverseStmt(Stmt* statement) override {
    return llvm::is_contained(block_, statement) || ByAllVisitor::TraverseStmt(statement);
  }
  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (op->getOpcode() == BO_Assign) set_.insert(op->getLHS()->IgnoreParens());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (told_.count(var) && !set_.count(reference)) found = reference;
    return !found;
  }

 private:
  const llvm::ArrayRef<const Stmt*> block_;
  const std::set<const VarDecl*>& told_;
  std::set<const Expr*> set_;
};

// Whether an expression, or a variable's value, holds one for which this is so.
bool anyIn(const Stmt* statement, llvm::function_ref<bool(const Expr* expr)> check) {
  auto* expr = dyn_cast_or_null<Expr>(statement);
  if (!statement || (expr && check(expr))) return expr != nullptr;
  if (!expr && !isa<DeclStmt>(statement)) return false;
  return llvm::any_of(statement->children(), [&](const Stmt* part) { return anyIn(part, check); });
}

bool givesLockBack(const Expr* use) {
  auto* call = dyn_cast<CallExpr>(use);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  return function && function->getIdentifier() &&
         (function->getName().contains("unlock") || function->getName().contains("unset_"));
}

}  // namespace

void EffectReader::runInTurn() {
  inTurn_ = true;
  if (!byLibrary_) readTurn(scope_.code, false);
  TraverseStmt(const_cast<Stmt*>(scope_.code));
}

void EffectReader::readTurns(const Stmt* statement) {
  if (auto* block = dyn_cast<OMPCriticalDirective>(statement)) return readTurn(block->getAssociatedStmt(), true);
  if (auto* block = dyn_cast<OMPAtomicDirective>(statement)) return readTurn(block->getAssociatedStmt(), true);
  auto* block = dyn_cast<CompoundStmt>(statement);
  if (!block) return;
  const llvm::ArrayRef<const Stmt*> steps(block->body_begin(), block->size());
  for (std::size_t begin = 0; begin < steps.size(); ++begin) {
    if (!anyIn(steps[begin], takesLock)) continue;
    std::size_t end = begin + 1;
    while (end < steps.size() && !anyIn(steps[end], givesLockBack)) ++end;
    readTurn(steps.slice(begin, end - begin), true);
    begin = end;
  }
}

void EffectReader::readTurn(llvm::ArrayRef<const Stmt*> block, bool isProtected) {
  const auto isShared = [&](const Expr* place) {
    Effect ignored;
    return this->isShared(place, ignored);
  };
  const auto isKept = [&](const Expr* value, const VarDecl* target) { return this->isKept(value, target); };
  TurnSteps steps(ast_, values_.writes(), all_.uses_, isShared, isKept);
  steps.isFunction = scope_.region == nullptr;
  Effect effect{block.front()->getBeginLoc()};
  effect.isProtected = isProtected;
  if (steps.differs(block)) {
    if (steps.place) {
      effect.loc = steps.place->getBeginLoc();
      this->isShared(steps.place, effect);
    }
    return effects.push_back(std::move(effect));
  }
  const auto told = steps.told();
  if (!isProtected || told.empty()) return;
  ToldFinder finder(values_.writes(), block, told);
  finder.TraverseStmt(const_cast<Stmt*>(scope_.code));
  const bool isReduced = llvm::any_of(scope_.reduced, [&](const VarDecl* var) { return told.count(var) > 0; });
  if (!finder.found && !isReduced) return;
  if (finder.found) effect.loc = finder.found->getLocation();
  effects.push_back(std::move(effect));
}

}  // namespace muster::plugin
