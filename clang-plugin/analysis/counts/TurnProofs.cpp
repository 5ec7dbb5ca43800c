// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a condition is once a branch has assigned its values.
#include "analysis/code/UpdateParts.h"
#include "analysis/counts/TurnSteps.h"

namespace muster::plugin {

using namespace clang;

bool assignments(const Stmt* statement, Assigned& found) {
  if (!statement || isa<NullStmt, BreakStmt, ContinueStmt>(statement)) return true;
  if (auto* block = dyn_cast<CompoundStmt>(statement))
    return llvm::all_of(block->body(), [&](const Stmt* part) { return assignments(part, found); });
  auto* expr = dyn_cast<Expr>(statement);
  auto* op = expr ? dyn_cast<BinaryOperator>(bareExpr(expr)) : nullptr;
  if (op && op->isCommaOp()) return assignments(op->getLHS(), found) && assignments(op->getRHS(), found);
  if (!op || op->getOpcode() != BO_Assign) return false;
  found.emplace_back(op->getLHS(), op->getRHS());
  return true;
}

static const Expr* after(const ASTContext& ast, const Expr* value, const Assigned& assigned) {
  for (const auto& [target, last] : llvm::reverse(assigned))
    if (isSame(ast, target, value)) return last;
  return value;
}

static std::optional<bool> compare(const ASTContext& ast, const BinaryOperator* op, const Assigned& assigned) {
  const Expr *left = after(ast, op->getLHS(), assigned), *right = after(ast, op->getRHS(), assigned);
  Expr::EvalResult first, second;
  if (left->isValueDependent() || right->isValueDependent()) return std::nullopt;
  if (left->EvaluateAsInt(first, ast) && right->EvaluateAsInt(second, ast)) {
    const int order = llvm::APSInt::compareValues(first.Val.getInt(), second.Val.getInt());
    switch (op->getOpcode()) {
      case BO_LT:
        return order < 0;
      case BO_GT:
        return order > 0;
      case BO_LE:
        return order <= 0;
      case BO_GE:
        return order >= 0;
      case BO_EQ:
        return order == 0;
      case BO_NE:
        return order != 0;
      default:
        return std::nullopt;
    }
  }
  if (!isSame(ast, left, right)) return std::nullopt;
  if (op->getOpcode() == BO_LT || op->getOpcode() == BO_GT) return false;
  // A NaN is not equal to itself.
  if (!left->getType()->isIntegralOrEnumerationType() && !left->getType()->isPointerType()) return std::nullopt;
  return op->getOpcode() != BO_NE;
}

std::optional<bool> valueAfter(const ASTContext& ast, const Expr* condition, const Assigned& assigned) {
  condition = bareExpr(condition);
  if (auto* op = dyn_cast<UnaryOperator>(condition); op && op->getOpcode() == UO_LNot) {
    const auto value = valueAfter(ast, op->getSubExpr(), assigned);
    return value ? std::optional(!*value) : std::nullopt;
  }
  auto* op = dyn_cast<BinaryOperator>(condition);
  if (op && op->isLogicalOp()) {
    const auto left = valueAfter(ast, op->getLHS(), assigned), right = valueAfter(ast, op->getRHS(), assigned);
    const bool either = op->getOpcode() == BO_LOr;
    if ((left && *left == either) || (right && *right == either)) return either;
    return left && right ? left : std::nullopt;
  }
  if (op && op->isComparisonOp()) return compare(ast, op, assigned);
  Expr::EvalResult value;
  const Expr* last = after(ast, condition, assigned);
  if (!last->isValueDependent() && last->EvaluateAsInt(value, ast)) return value.Val.getInt() != 0;
  return std::nullopt;
}

bool rests(const ASTContext& ast, llvm::ArrayRef<const Stmt*> steps, const Assigned& assigned) {
  return llvm::all_of(steps, [&](const Stmt* step) {
    if (!step || isa<NullStmt>(step)) return true;
    if (auto* block = dyn_cast<CompoundStmt>(step)) return rests(ast, {block->body_begin(), block->size()}, assigned);
    auto* condition = dyn_cast<IfStmt>(step);
    const auto value = condition ? valueAfter(ast, condition->getCond(), assigned) : std::nullopt;
    return value && (*value ? rests(ast, condition->getThen(), assigned) : rests(ast, condition->getElse(), assigned));
  });
}

int directionOf(const ASTContext& ast, const Expr* condition, const Expr* place, const Expr* value) {
  auto* op = dyn_cast<BinaryOperator>(bareExpr(condition));
  if (!op || !op->isRelationalOp()) return 0;
  const bool isLess = op->getOpcode() == BO_LT || op->getOpcode() == BO_LE;
  const auto fits = [&](const Expr* old, const Expr* other) {
    return isSame(ast, old, place) && (!value || isSame(ast, other, value));
  };
  if (fits(op->getLHS(), op->getRHS())) return isLess ? 1 : -1;
  if (fits(op->getRHS(), op->getLHS())) return isLess ? -1 : 1;
  return 0;
}

}  // namespace muster::plugin
