// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers that reach the elements of an array, as against those that lead to one object.
#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "source/AstVisitor.h"

namespace muster::plugin {

using namespace clang;

namespace {

class IndexFinder : public AstVisitor {
 public:
  explicit IndexFinder(unsigned depth) : depth_(depth) {}
  std::set<const VarDecl*> indexed;

  bool shouldVisitImplicitCode() const override { return true; }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* subscript) override {
    note(subscript->getBase());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (op->isAdditiveOp() || op->isRelationalOp() || op->isAssignmentOp()) note(op->getLHS());
    if (op->isAdditiveOp() || op->isRelationalOp()) note(op->getRHS());
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    if (var->getType()->isPointerType() && var->getInit()) copies_.emplace_back(var, var->getInit());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* definition = depth_ > 0 ? definitionOf(call->getDirectCallee()) : nullptr;
    if (!definition) return true;
    const auto arguments = argumentsOf(call);
    std::optional<std::set<const VarDecl*>> inside;
    for (unsigned i = 0; i < arguments.size() && i < definition->getNumParams(); ++i) {
      if (!definition->getParamDecl(i)->getType()->isPointerType()) continue;
      if (!inside) inside = indexedPointers(definition, depth_ - 1);
      if (inside->count(definition->getParamDecl(i))) note(arguments[i]);
    }
    return true;
  }

  void finish() {
    for (bool more = true; more;) {
      const std::size_t before = indexed.size();
      for (const auto& [var, value] : copies_)
        if (indexed.count(var)) note(value);
      more = indexed.size() != before;
    }
  }

 private:
  void note(const Expr* expr) {
    auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (var && var->getType()->isPointerType()) indexed.insert(var);
  }

  const unsigned depth_;
  std::vector<std::pair<const VarDecl*, const Expr*>> copies_;
};

}  // namespace

std::set<const VarDecl*> indexedPointers(const FunctionDecl* definition, unsigned depth) {
  IndexFinder finder(depth);
  finder.TraverseStmt(definition->getBody());
  finder.finish();
  return std::move(finder.indexed);
}

}  // namespace muster::plugin
