// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators, with C's own conversions where they are C++'s.
#include "lower/expressions/Expressions.h"
#include "lower/program/Narrowing.h"
#include "lower/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

// Below an implicit conversion between arithmetic types that C also makes by itself in the right place, and as it
// should be.
const clang::Expr* withoutConversion(const Program& program, const clang::Expr* expr) {
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expr->IgnoreParens());
  // C knows no halves.
  if (!cast || isHalf(cast->getType())) return expr;
  switch (cast->getCastKind()) {
    case clang::CK_IntegralCast:
      return narrowsIteration(program, cast->getSubExpr(), cast->getType()) ? expr : cast->getSubExpr();
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingCast:
      return cast->getSubExpr();
    default:
      return expr;
  }
}

}  // namespace

Expression Expressions::converted(const clang::Expr* expr) {
  return isHalf(expr->getType()) ? halfBits(expr) : Visit(withoutConversion(program_, expr));
}

Expression Expressions::condition(const clang::Expr* expr) {
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expr->IgnoreParens());
  const Expression value =
      Visit(cast && cast->getCastKind() == clang::CK_IntegralToBoolean ? cast->getSubExpr() : expr);
  // C converts nothing here. OpenCL has no choice by a floating number, and a complex one is a struct.
  if (isComplex(expr)) return complexCondition(expr, value);
  if (expr->getType()->isRealFloatingType()) return isNonzero(value);
  return value;
}

std::pair<Expression, Expression> Expressions::operands(const clang::Expr* left, const clang::Expr* right,
                                                        Scalar common) {
  const clang::Expr *bareLeft = withoutConversion(program_, left), *bareRight = withoutConversion(program_, right);
  if (common != Scalar::None && usualArithmetic(scalarOfType(bareLeft), scalarOfType(bareRight)) == common)
    return {Visit(bareLeft), Visit(bareRight)};
  return {Visit(left), Visit(right)};
}

Expression Expressions::promotedOperand(const clang::Expr* expr) {
  const clang::Expr* bare = withoutConversion(program_, expr);
  return Visit(promoted(scalarOfType(bare)) == scalarOfType(expr) ? bare : expr);
}

// Whether arithmetic of the type may overflow and goes on from the other end then (-fwrapv): OpenCL C, as C, leaves
// that open for signed integers.
bool Expressions::wraps(clang::QualType type) const {
  if (program_.context.getLangOpts().getSignedOverflowBehavior() != clang::LangOptions::SOB_Defined) return false;
  const Scalar scalar = scalarOf(program_.context, type);
  return scalar == Scalar::I32 || scalar == Scalar::I64;
}

// As unsigned arithmetic.
Expression Expressions::wrapped(const Expression& left, llvm::StringRef spelling, const Expression& right,
                                Scalar scalar) {
  const char* type = scalar == Scalar::I32 ? "uint" : "ulong";
  return ir::cast(scalarName(scalar), ir::binary(spelling, ir::cast(type, left), ir::cast(type, right)));
}

static bool mayOverflow(clang::BinaryOperatorKind kind) {
  return kind == clang::BO_Add || kind == clang::BO_Sub || kind == clang::BO_Mul;
}

// No `#pragma STDC FENV_ROUND` says otherwise.
bool Expressions::roundsToNearest(const clang::BinaryOperator* op) const {
  if (!op->getType()->isRealFloatingType()) return true;
  const auto mode = op->getFPFeaturesInEffect(program_.context.getLangOpts()).getConstRoundingMode();
  return mode == llvm::RoundingMode::NearestTiesToEven || mode == llvm::RoundingMode::Dynamic;
}

Expression Expressions::VisitBinaryOperator(const clang::BinaryOperator* op) {
  const llvm::StringRef spelling = op->getOpcodeStr();
  if (!op->isAssignmentOp() && !op->isCommaOp() && !op->isLogicalOp() &&
      (isComplex(op->getLHS()) || isComplex(op->getRHS())))
    return complexBinary(op);
  if (op->getOpcode() == clang::BO_Assign) return halfAssigned(op, assignment(op));
  if (isHalfArithmetic(op)) return halfValue(halfBits(halfOperation(op), Scalar::F32));
  if (!roundsToNearest(op)) return refuse(op, say::RoundsOtherwise);
  if (op->isLogicalOp()) return ir::binary(spelling, condition(op->getLHS()), condition(op->getRHS()));
  if (op->getOpcode() == clang::BO_Comma) {
    const Expression first = Visit(op->getLHS());
    return ir::comma({first, Visit(op->getRHS())});
  }
  if (op->isPtrMemOp() || op->getOpcode() == clang::BO_Cmp) return refuse(op, say::OperatorNotInOpenCL(spelling));
  if (op->isShiftOp()) {
    if (dependOnOrder(op->getLHS(), op->getRHS())) return refuse(op, say::ShiftOrder);
    return ir::binary(spelling, promotedOperand(op->getLHS()), promotedOperand(op->getRHS()));
  }
  if (const auto one = contracted(op)) return *one;
  if (const auto root = inverseRoot(op)) return *root;
  const Scalar common =
      scalarOfType(op->getLHS()) == scalarOfType(op->getRHS()) ? scalarOfType(op->getLHS()) : Scalar::None;
  if (mayOverflow(op->getOpcode()) && wraps(op->getType()))
    return wrapped(Visit(op->getLHS()), spelling, Visit(op->getRHS()), common);
  const auto [left, right] = operands(op->getLHS(), op->getRHS(), common);
  // The usual test for NaN. NVIDIA's compiler finds a NaN that it knows equal to itself, but its isnan() is right.
  if (op->isEqualityOp() && isFloating(common) && left == right && !op->HasSideEffects(program_.context))
    return op->getOpcode() == clang::BO_EQ ? ir::prefix("!", ir::call("isnan", {left})) : ir::call("isnan", {left});
  return ir::binary(spelling, left, right);
}

void Expressions::checkAssignable(const clang::Expr* target, const clang::Expr* at) {
  const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(target->IgnoreParens());
  const auto* var = ref ? llvm::dyn_cast<clang::VarDecl>(ref->getDecl()) : nullptr;
  if (var && program_.scalar(var) && !program_.isFirstprivate(var)) VisitStmt(at);
  // Functions get copies of pointers.
  if (var && scope_.variable(var).empty()) scope_.outerName(var);
  if (var && !scope_.isReference(var) && scope_.isOuter(var)) refuse(at, say::ChangesPointerInLambda(var->getName()));
}

Expression Expressions::assignment(const clang::BinaryOperator* op) {
  checkAssignable(op->getLHS(), op);
  if (assignmentDependsOnOrder(op->getLHS(), op->getRHS())) return refuse(op, say::AssignmentOrder);
  const Expression target = lvalue(op->getLHS());
  return ir::assign(target, converted(op->getRHS()));
}

Expression Expressions::boolCompound(const clang::CompoundAssignOperator* op, const std::string& spelling) {
  // C++ turns the result into 0 or 1, a uchar keeps it. With operands of 0 and 1 these operators need no turning.
  const clang::Expr* right = withoutConversion(program_, op->getRHS());
  if (isHalf(op->getComputationLHSType())) return refuse(op, say::OperatorOnType(spelling));
  const bool staysBool = right->getType()->isBooleanType() &&
                         (op->getOpcode() == clang::BO_AndAssign || op->getOpcode() == clang::BO_OrAssign ||
                          op->getOpcode() == clang::BO_XorAssign);
  const Expression target = lvalue(op->getLHS());
  if (staysBool) return ir::assign(target, Visit(right), spelling);
  if (mayWrite(op->getLHS())) return refuse(op, say::ChangesTargetOnBool(spelling));
  const Expression changed = ir::binary(llvm::StringRef(spelling).drop_back(), target, Visit(op->getRHS()));
  return ir::assign(target, isNonzero(ir::parentheses(changed)));
}

Expression Expressions::wrappedCompound(const clang::CompoundAssignOperator* op) {
  if (mayWrite(op->getLHS())) return refuse(op, say::ChangesTargetWrapping(op->getOpcodeStr()));
  const Expression target = lvalue(op->getLHS());
  const Scalar computed = scalarOf(program_.context, op->getComputationLHSType());
  return ir::assign(target, wrapped(target, op->getOpcodeStr().drop_back(), Visit(op->getRHS()), computed));
}

// The value behind it, or before it.
Expression Expressions::wrappedIncrement(const clang::UnaryOperator* op) {
  const clang::Expr* sub = op->getSubExpr();
  if (mayWrite(sub)) return refuse(op, say::ChangesTargetWrapping(clang::UnaryOperator::getOpcodeStr(op->getOpcode())));
  const Expression target = lvalue(sub), one = ir::literal("1");
  const char *there = op->isIncrementOp() ? "+" : "-", *back = op->isIncrementOp() ? "-" : "+";
  const Scalar scalar = scalarOfType(sub);
  const Expression next = ir::assign(target, wrapped(target, there, one, scalar));
  return op->isPrefix() ? next : wrapped(next, back, one, scalar);
}

Expression Expressions::VisitCompoundAssignOperator(const clang::CompoundAssignOperator* op) {
  if (isComplex(op->getLHS()) || isComplex(op->getRHS())) return complexCompound(op);
  checkAssignable(op->getLHS(), op);
  if (dependOnOrder(op->getLHS(), op->getRHS())) return refuse(op, say::AssignmentOrder);
  const std::string spelling = op->getOpcodeStr().str();
  if (op->getType()->isBooleanType()) return boolCompound(op, spelling);
  if (isHalf(op->getType()) || isHalf(op->getComputationLHSType())) return halfCompound(op);
  if (!roundsToNearest(op)) return refuse(op, say::RoundsOtherwise);
  if (mayOverflow(clang::BinaryOperator::getOpForCompoundAssignment(op->getOpcode())) &&
      !op->getType()->isPointerType() && wraps(op->getComputationLHSType()))
    return wrappedCompound(op);
  if (const auto one = contractedCompound(op)) return *one;
  const clang::Expr* bare = withoutConversion(program_, op->getRHS());
  const Scalar computed = scalarOf(program_.context, op->getComputationLHSType());
  const bool alike =
      op->isShiftAssignOp() || usualArithmetic(scalarOfType(op->getLHS()), scalarOfType(bare)) == computed;
  const Expression right = op->getType()->isPointerType() || !alike ? Visit(op->getRHS()) : Visit(bare);
  return ir::assign(lvalue(op->getLHS()), right, spelling);
}

Expression Expressions::VisitUnaryOperator(const clang::UnaryOperator* op) {
  const clang::Expr* sub = op->getSubExpr();
  const llvm::StringRef spelling = clang::UnaryOperator::getOpcodeStr(op->getOpcode());
  if (isComplex(sub) || op->getOpcode() == clang::UO_Real || op->getOpcode() == clang::UO_Imag)
    if (op->getOpcode() != clang::UO_AddrOf && op->getOpcode() != clang::UO_Extension &&
        op->getOpcode() != clang::UO_LNot)
      return complexUnary(op);
  switch (op->getOpcode()) {
    case clang::UO_Minus:
      if (wraps(op->getType())) return wrapped(ir::literal("0"), "-", Visit(sub), scalarOfType(op));
      [[fallthrough]];
    case clang::UO_Plus:
    case clang::UO_Not:
      return ir::prefix(spelling.data(), promotedOperand(sub));
    case clang::UO_LNot:
      return ir::prefix("!", condition(sub));
    case clang::UO_AddrOf:
      return address(sub);
    case clang::UO_Deref:
      return behind(sub);
    case clang::UO_Extension:
      return Visit(sub);
    default:
      break;
  }
  if (!op->isIncrementDecrementOp() || op->getType()->isBooleanType()) return refuse(op, say::OperatorOnType(spelling));
  checkAssignable(sub, op);
  if (isHalf(sub->getType())) return halfIncrement(op, true);
  if (wraps(sub->getType())) return wrappedIncrement(op);
  const Expression target = lvalue(sub);
  return op->isPrefix() ? ir::prefix(spelling.data(), target) : ir::postfix(target, spelling.data());
}

Expression Expressions::VisitConditionalOperator(const clang::ConditionalOperator* op) {
  const Scalar common = scalarOfType(op);
  const auto [left, right] = operands(op->getTrueExpr(), op->getFalseExpr(), promoted(common));
  return ir::conditional(condition(op->getCond()), left, right);
}

}  // namespace muster::plugin::lower
