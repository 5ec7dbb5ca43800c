// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises updates in their spellings, and says which of them commute.
#include "analysis/code/ClauseValues.h"
#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/OpenMPClause.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Whether updates of this kind give the same in any order, and in parts that are combined later (floating point: up to
// the rounding of sums and products).
bool commutes(const ASTContext& ast, const UpdateFact& update) {
  const QualType type = update.target->getType();
  if (!canBeMerged(ast, type)) return false;
  if (update.value == nullptr) return !type->isBooleanType();
  const Expr* value = update.value->IgnoreParenImpCasts();
  const bool integers = type->isIntegralOrEnumerationType() && value->getType()->isIntegralOrEnumerationType();
  switch (update.opcode) {
    case BO_LT:
    case BO_GT:
      return convertsExactly(ast, update.value, type);
    case BO_LAnd:
    case BO_LOr:
      return type->isIntegralOrEnumerationType();
    case BO_And:
    case BO_Or:
    case BO_Xor:
      return integers && (!type->isBooleanType() || value->getType()->isBooleanType());
    case BO_Sub:
      if (update.valueFirst) return false;
      [[fallthrough]];
    case BO_Add:
    case BO_Mul:
      return !type->isBooleanType() && (integers || type->isRealFloatingType());
    default:
      return false;
  }
}

unsigned kindOf(const UpdateFact& update) {
  const bool isBool = update.target->getType()->isBooleanType();
  switch (update.opcode) {
    case BO_Mul:
      return MUSTER_REDUCE_MUL;
    case BO_And:
      return isBool ? MUSTER_REDUCE_LAND : MUSTER_REDUCE_AND;
    case BO_Or:
      return isBool ? MUSTER_REDUCE_LOR : MUSTER_REDUCE_OR;
    case BO_Xor:
      return MUSTER_REDUCE_XOR;
    case BO_LAnd:
      return MUSTER_REDUCE_LAND;
    case BO_LOr:
      return MUSTER_REDUCE_LOR;
    case BO_LT:
      return MUSTER_REDUCE_MIN;
    case BO_GT:
      return MUSTER_REDUCE_MAX;
    default:
      return MUSTER_REDUCE_ADD;
  }
}

UpdateFact finish(const ASTContext& ast, const Expr* target, const Expr* value, BinaryOperatorKind opcode,
                  bool valueFirst = false) {
  UpdateFact update{target->IgnoreParens(), value, 0, opcode, valueFirst, false};
  update.kind = kindOf(update);
  update.commutes = commutes(ast, update);
  return update;
}

// A comparison of x and the value chooses which of the two x becomes.
std::optional<UpdateFact> selection(const ASTContext& ast, const Expr* target, const Expr* condition,
                                    const Expr* whenTrue, const Expr* whenFalse) {
  auto* relation = dyn_cast<BinaryOperator>(bareExpr(condition));
  if (!relation || !relation->isRelationalOp()) return std::nullopt;
  const bool less = relation->getOpcode() == BO_LT || relation->getOpcode() == BO_LE;
  const Expr *left = relation->getLHS(), *right = relation->getRHS();
  const bool straight = isSame(ast, whenTrue, left) && isSame(ast, whenFalse, right);
  if (!straight && !(isSame(ast, whenTrue, right) && isSame(ast, whenFalse, left))) return std::nullopt;
  const bool targetTrue = isSame(ast, whenTrue, target);
  if (!targetTrue && !isSame(ast, whenFalse, target)) return std::nullopt;
  auto update = finish(ast, target, targetTrue ? whenFalse : whenTrue, less == straight ? BO_LT : BO_GT);
  const bool strict = relation->getOpcode() == BO_LT || relation->getOpcode() == BO_GT;
  update.keepsNan = !targetTrue && strict;
  return update;
}

std::optional<UpdateFact> assignment(const ASTContext& ast, const Expr* target, const Expr* assigned) {
  const Expr* value = bareExpr(assigned);
  if (auto* op = dyn_cast<BinaryOperator>(value); op && !op->isAssignmentOp() && !op->isCommaOp()) {
    const bool arithmetic = op->isMultiplicativeOp() || op->isAdditiveOp() || op->isShiftOp() || op->isBitwiseOp();
    if (!arithmetic && !op->isLogicalOp()) return std::nullopt;
    if (isSame(ast, op->getLHS(), target)) return finish(ast, target, op->getRHS(), op->getOpcode());
    if (isSame(ast, op->getRHS(), target)) return finish(ast, target, op->getLHS(), op->getOpcode(), true);
    return std::nullopt;
  }
  if (auto* choice = dyn_cast<ConditionalOperator>(value))
    return selection(ast, target, choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
  auto* call = dyn_cast<CallExpr>(value);
  const FunctionDecl* function = call ? call->getDirectCallee() : nullptr;
  if (!function || !isMaths(function) || call->getNumArgs() != 2) return std::nullopt;
  llvm::StringRef name = function->getName();
  name.consume_front("__builtin_");
  const bool least = name == "min" || name == "fmin" || name == "fminf";
  if (!least && name != "max" && name != "fmax" && name != "fmaxf") return std::nullopt;
  const BinaryOperatorKind opcode = least ? BO_LT : BO_GT;
  const bool first = isSame(ast, call->getArg(0), target);
  if (!first && !isSame(ast, call->getArg(1), target)) return std::nullopt;
  auto update = finish(ast, target, bareExpr(call->getArg(first ? 1 : 0)), opcode);
  update.skipsNan = name.starts_with("f");
  update.keepsNan = first && !update.skipsNan;
  return update;
}

std::optional<UpdateFact> expressionForm(const ASTContext& ast, const Expr* expr) {
  expr = bareExpr(expr);
  if (!expr->getType()->isArithmeticType()) return std::nullopt;
  if (auto* count = dyn_cast<UnaryOperator>(expr); count && count->isIncrementDecrementOp())
    return finish(ast, count->getSubExpr(), nullptr, count->isIncrementOp() ? BO_Add : BO_Sub);
  auto* op = dyn_cast<BinaryOperator>(expr);
  if (!op || !op->isAssignmentOp()) return std::nullopt;
  if (op->getOpcode() == BO_Assign) return assignment(ast, op->getLHS(), op->getRHS());
  return finish(ast, op->getLHS(), op->getRHS(), BinaryOperator::getOpForCompoundAssignment(op->getOpcode()));
}

}  // namespace

bool canBeMerged(const ASTContext& ast, QualType type) {
  if (type->isIntegralOrEnumerationType()) return ast.getTypeSize(type) <= 64;
  type = type.getCanonicalType().getUnqualifiedType();
  return type == ast.FloatTy || type == ast.DoubleTy;
}

UpdateFact updateBy(const ASTContext& ast, const Expr* target, const Expr* value, BinaryOperatorKind opcode) {
  return finish(ast, target, value, opcode);
}

std::optional<UpdateFact> updateForm(const ASTContext& ast, const Stmt* statement) {
  statement = onlyStatement(statement);
  if (auto* expr = dyn_cast_or_null<Expr>(statement)) return expressionForm(ast, expr);
  auto* condition = dyn_cast_or_null<IfStmt>(statement);
  if (!condition || condition->getElse() || condition->getInit() || condition->getConditionVariable())
    return std::nullopt;
  auto* then = dyn_cast_or_null<Expr>(onlyStatement(condition->getThen()));
  auto* op = then ? dyn_cast<BinaryOperator>(bareExpr(then)) : nullptr;
  if (!op || op->getOpcode() != BO_Assign || !op->getType()->isArithmeticType()) return std::nullopt;
  return selection(ast, op->getLHS(), condition->getCond(), op->getRHS(), op->getLHS());
}

std::optional<UpdateFact> updateOf(const ASTContext& ast, const OMPAtomicDirective* directive) {
  if (hasClause<OMPReadClause>(directive) || hasClause<OMPWriteClause>(directive)) return std::nullopt;
  if (!hasClause<OMPCaptureClause>(directive)) return updateForm(ast, directive->getAssociatedStmt());
  if (hasClause<OMPCompareClause>(directive)) return std::nullopt;
  const Expr* change = directive->getUpdateExpr();
  auto* op = change ? dyn_cast<BinaryOperator>(change->IgnoreParenImpCasts()) : nullptr;
  return finish(ast, directive->getX(), directive->getExpr(), op ? op->getOpcode() : BO_Assign,
                op && !directive->isXLHSInRHSPart());
}

std::optional<UpdateFact> protectedUpdate(const ASTContext& ast, const Stmt* statement) {
  auto update = updateForm(ast, statement);
  if (!update || !update->commutes) return std::nullopt;
  // Where a NaN shows which of the forms it is, the operation on the device is not quite the user's.
  if (update->target->getType()->isRealFloatingType() && !update->keepsNan) return std::nullopt;
  return update;
}

std::optional<UpdateFact> updateOf(const ASTContext& ast, const OMPCriticalDirective* directive) {
  return protectedUpdate(ast, directive->getAssociatedStmt());
}

}  // namespace muster::plugin
