// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that counts the threads of a team: every thread adds the same to a sum, as in `omp atomic count++`.
#include "AstVisitor.h"
#include "analysis/TeamVariables.h"
#include "analysis/Updates.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

namespace {

class CountFinder : public AstVisitor {
 public:
  CountFinder(const ASTContext& ast, const TeamScope& scope) : ast_(ast), scope_(scope) {}
  std::optional<Refusal> found;

  bool TraverseStmt(Stmt* statement) override {
    auto* directive = dyn_cast_or_null<OMPExecutableDirective>(statement);
    // These run once, or each part of them does.
    if (directive && (isOpenMPWorksharingDirective(directive->getDirectiveKind()) ||
                      isa<OMPMasterDirective, OMPMaskedDirective>(directive)))
      return true;
    const bool byAll = isa_and_nonnull<OMPAtomicDirective, OMPCriticalDirective>(directive);
    shared_ += byAll;
    const bool result = AstVisitor::TraverseStmt(statement);
    shared_ -= byAll;
    return result;
  }
  bool VisitExpr(Expr* expr) override {
    const auto update = isa<CallExpr, AtomicExpr>(expr) ? atomicCall(ast_, expr, {}) : std::nullopt;
    return !update || check(expr, *update, true);
  }
  bool VisitBinaryOperator(BinaryOperator* op) override { return !op->isAssignmentOp() || check(op); }
  bool VisitUnaryOperator(UnaryOperator* op) override { return !op->isIncrementDecrementOp() || check(op); }

 private:
  bool check(const Expr* expr) {
    const auto update = updateForm(ast_, expr);
    return !update || check(expr, *update, shared_ > 0);
  }
  bool check(const Expr* expr, const UpdateFact& update, bool isShared) {
    if (update.kind != MUSTER_REDUCE_ADD && update.kind != MUSTER_REDUCE_MUL && update.kind != MUSTER_REDUCE_XOR)
      return true;
    const Expr* target = update.target->IgnoreParenImpCasts();
    auto* reference = dyn_cast<DeclRefExpr>(target);
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    const bool summed = var && scope_.reduced.count(var);
    if (!summed && (!isShared || (var && scope_.privates.count(var)))) return true;
    if (mentions(update.value, scope_.privates) || (!var && mentions(target, scope_.privates))) return true;
    found = Refusal{expr->getBeginLoc(), "adds the same once for each thread of the team"};
    return false;
  }

  const ASTContext& ast_;
  const TeamScope& scope_;
  unsigned shared_ = 0;
};

}  // namespace

std::optional<Refusal> countedThreads(const ASTContext& ast, const TeamScope& scope) {
  CountFinder finder(ast, scope);
  finder.TraverseStmt(const_cast<Stmt*>(scope.code));
  return finder.found;
}

}  // namespace muster::plugin
