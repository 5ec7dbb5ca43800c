// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators, with C's own conversions where they are C++'s.
#include "opencl/expressions/Expressions.h"
#include "opencl/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::opencl {

namespace {

// Below an implicit conversion between arithmetic types that C also makes by itself in the right place.
const clang::Expr* withoutConversion(const clang::Expr* expr) {
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expr->IgnoreParens());
  // C knows no halves.
  if (!cast || isHalf(cast->getType())) return expr;
  switch (cast->getCastKind()) {
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingCast:
      return cast->getSubExpr();
    default:
      return expr;
  }
}

Prec precedenceOf(clang::BinaryOperatorKind kind) {
  switch (kind) {
    case clang::BO_Mul:
    case clang::BO_Div:
    case clang::BO_Rem:
      return Prec::Multiplicative;
    case clang::BO_Add:
    case clang::BO_Sub:
      return Prec::Additive;
    case clang::BO_Shl:
    case clang::BO_Shr:
      return Prec::Shift;
    case clang::BO_LT:
    case clang::BO_GT:
    case clang::BO_LE:
    case clang::BO_GE:
      return Prec::Relational;
    case clang::BO_EQ:
    case clang::BO_NE:
      return Prec::Equality;
    case clang::BO_And:
      return Prec::BitAnd;
    case clang::BO_Xor:
      return Prec::BitXor;
    case clang::BO_Or:
      return Prec::BitOr;
    case clang::BO_LAnd:
      return Prec::LogicalAnd;
    case clang::BO_LOr:
      return Prec::LogicalOr;
    case clang::BO_Comma:
      return Prec::Comma;
    default:
      return Prec::Assignment;
  }
}

Prec tighter(Prec prec) { return static_cast<Prec>(static_cast<int>(prec) + 1); }

// Where readers (and compilers, with a warning) expect parentheses although C needs none: a & b | c, a + b << c.
bool isMixed(Prec outer, Prec inner) {
  if (outer == Prec::LogicalOr) return inner == Prec::LogicalAnd;
  const bool isBitwise = outer >= Prec::BitOr && outer <= Prec::BitAnd;
  return (isBitwise || outer == Prec::Shift) && inner < Prec::Unary && inner != outer;
}

Text joined(const Text& left, llvm::StringRef spelling, const Text& right, Prec prec) {
  const std::string between = spelling == "," ? ", " : " " + spelling.str() + " ";
  return Text(left.at(isMixed(prec, left.prec) ? Prec::Unary : prec) + between +
                  right.at(isMixed(prec, right.prec) ? Prec::Unary : tighter(prec)),
              prec);
}

}  // namespace

Text Expressions::converted(const clang::Expr* expr) {
  return isHalf(expr->getType()) ? halfBits(expr) : Visit(withoutConversion(expr));
}

Text Expressions::condition(const clang::Expr* expr) {
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expr->IgnoreParens());
  const Text value = Visit(cast && cast->getCastKind() == clang::CK_IntegralToBoolean ? cast->getSubExpr() : expr);
  // C converts nothing here. OpenCL has no choice by a floating number, and a complex one is a struct.
  if (isComplex(expr)) return complexCondition(expr, value);
  if (expr->getType()->isRealFloatingType()) return Text(value.at(Prec::Equality) + " != 0", Prec::Equality);
  return value;
}

std::pair<Text, Text> Expressions::operands(const clang::Expr* left, const clang::Expr* right, Scalar common) {
  const clang::Expr *bareLeft = withoutConversion(left), *bareRight = withoutConversion(right);
  if (common != Scalar::None && usualArithmetic(scalarOfType(bareLeft), scalarOfType(bareRight)) == common)
    return {Visit(bareLeft), Visit(bareRight)};
  return {Visit(left), Visit(right)};
}

Text Expressions::promotedOperand(const clang::Expr* expr) {
  const clang::Expr* bare = withoutConversion(expr);
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
Text Expressions::wrapped(const Text& left, llvm::StringRef spelling, const Text& right, Scalar scalar) {
  const std::string cast = std::string("(") + (scalar == Scalar::I32 ? "uint" : "ulong") + ")";
  return Text(std::string("(") + scalarName(scalar) + ")(" + cast + left.at(Prec::Unary) + " " + spelling.str() + " " +
                  cast + right.at(Prec::Unary) + ")",
              Prec::Unary);
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

Text Expressions::VisitBinaryOperator(const clang::BinaryOperator* op) {
  const Prec prec = precedenceOf(op->getOpcode());
  const llvm::StringRef spelling = op->getOpcodeStr();
  if (!op->isAssignmentOp() && !op->isCommaOp() && !op->isLogicalOp() &&
      (isComplex(op->getLHS()) || isComplex(op->getRHS())))
    return complexBinary(op);
  if (op->getOpcode() == clang::BO_Assign) return halfAssigned(op, assignment(op));
  if (isHalfArithmetic(op)) return halfValue(halfBits(halfOperation(op), Scalar::F32));
  if (!roundsToNearest(op)) return refuse(op, say::RoundsOtherwise);
  if (op->isLogicalOp()) return joined(condition(op->getLHS()), spelling, condition(op->getRHS()), prec);
  if (op->getOpcode() == clang::BO_Comma) return joined(Visit(op->getLHS()), spelling, Visit(op->getRHS()), prec);
  if (op->isPtrMemOp() || op->getOpcode() == clang::BO_Cmp) return refuse(op, say::OperatorNotInOpenCL(spelling));
  if (op->isShiftOp()) {
    if (dependOnOrder(op->getLHS(), op->getRHS())) return refuse(op, say::ShiftOrder);
    return joined(promotedOperand(op->getLHS()), spelling, promotedOperand(op->getRHS()), prec);
  }
  if (const auto one = contracted(op)) return *one;
  const Scalar common =
      scalarOfType(op->getLHS()) == scalarOfType(op->getRHS()) ? scalarOfType(op->getLHS()) : Scalar::None;
  if (mayOverflow(op->getOpcode()) && wraps(op->getType()))
    return wrapped(Visit(op->getLHS()), spelling, Visit(op->getRHS()), common);
  const auto [left, right] = operands(op->getLHS(), op->getRHS(), common);
  // The usual test for NaN. NVIDIA's compiler finds a NaN that it knows equal to itself, but its isnan() is right.
  if (op->isEqualityOp() && isFloating(common) && left.text == right.text && !op->HasSideEffects(program_.context))
    return Text((op->getOpcode() == clang::BO_EQ ? "!isnan(" : "isnan(") + left.at(Prec::Assignment) + ")",
                Prec::Unary);
  return joined(left, spelling, right, prec);
}

void Expressions::checkAssignable(const clang::Expr* target, const clang::Expr* at) {
  const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(target->IgnoreParens());
  const auto* var = ref ? llvm::dyn_cast<clang::VarDecl>(ref->getDecl()) : nullptr;
  if (var && program_.scalar(var) && !program_.isFirstprivate(var)) VisitStmt(at);
  // Functions get copies of pointers.
  if (var && scope_.variable(var).empty()) scope_.outerName(var);
  if (var && !scope_.isReference(var) && scope_.isOuter(var)) refuse(at, say::ChangesPointerInLambda(var->getName()));
}

Text Expressions::assignment(const clang::BinaryOperator* op) {
  checkAssignable(op->getLHS(), op);
  if (assignmentDependsOnOrder(op->getLHS(), op->getRHS())) return refuse(op, say::AssignmentOrder);
  const Text target = lvalue(op->getLHS());
  return Text(target.at(Prec::Unary) + " = " + converted(op->getRHS()).at(Prec::Assignment), Prec::Assignment);
}

Text Expressions::boolCompound(const clang::CompoundAssignOperator* op, const std::string& spelling) {
  // C++ turns the result into 0 or 1, a uchar keeps it. With operands of 0 and 1 these operators need no turning.
  const clang::Expr* right = withoutConversion(op->getRHS());
  if (isHalf(op->getComputationLHSType())) return refuse(op, say::OperatorOnType(spelling));
  const bool staysBool = right->getType()->isBooleanType() &&
                         (op->getOpcode() == clang::BO_AndAssign || op->getOpcode() == clang::BO_OrAssign ||
                          op->getOpcode() == clang::BO_XorAssign);
  const Text target = lvalue(op->getLHS());
  if (staysBool)
    return Text(target.at(Prec::Unary) + " " + spelling + " " + Visit(right).at(Prec::Assignment), Prec::Assignment);
  if (mayWrite(op->getLHS())) return refuse(op, say::ChangesTargetOnBool(spelling));
  const std::string bare = spelling.substr(0, spelling.size() - 1);
  return Text(target.at(Prec::Unary) + " = (" + target.at(Prec::Unary) + " " + bare + " " +
                  Visit(op->getRHS()).at(Prec::Postfix) + ") != 0",
              Prec::Assignment);
}

Text Expressions::wrappedCompound(const clang::CompoundAssignOperator* op) {
  if (mayWrite(op->getLHS())) return refuse(op, say::ChangesTargetWrapping(op->getOpcodeStr()));
  const std::string target = lvalue(op->getLHS()).at(Prec::Unary);
  const Scalar computed = scalarOf(program_.context, op->getComputationLHSType());
  const Text sum = wrapped(Text(target, Prec::Unary), op->getOpcodeStr().drop_back(), Visit(op->getRHS()), computed);
  return Text(target + " = " + sum.at(Prec::Assignment), Prec::Assignment);
}

// The value behind it, or before it.
Text Expressions::wrappedIncrement(const clang::UnaryOperator* op) {
  const clang::Expr* sub = op->getSubExpr();
  if (mayWrite(sub)) return refuse(op, say::ChangesTargetWrapping(clang::UnaryOperator::getOpcodeStr(op->getOpcode())));
  const std::string target = lvalue(sub).at(Prec::Unary);
  const char *there = op->isIncrementOp() ? "+" : "-", *back = op->isIncrementOp() ? "-" : "+";
  const Scalar scalar = scalarOfType(sub);
  const Text next(target + " = " + wrapped(Text(target, Prec::Unary), there, Text("1"), scalar).text, Prec::Assignment);
  return op->isPrefix() ? next : wrapped(next, back, Text("1"), scalar);
}

Text Expressions::VisitCompoundAssignOperator(const clang::CompoundAssignOperator* op) {
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
  const clang::Expr* bare = withoutConversion(op->getRHS());
  const Scalar computed = scalarOf(program_.context, op->getComputationLHSType());
  const bool alike =
      op->isShiftAssignOp() || usualArithmetic(scalarOfType(op->getLHS()), scalarOfType(bare)) == computed;
  const Text right = op->getType()->isPointerType() || !alike ? Visit(op->getRHS()) : Visit(bare);
  return Text(lvalue(op->getLHS()).at(Prec::Unary) + " " + spelling + " " + right.at(Prec::Assignment),
              Prec::Assignment);
}

Text Expressions::VisitUnaryOperator(const clang::UnaryOperator* op) {
  const clang::Expr* sub = op->getSubExpr();
  const std::string spelling = clang::UnaryOperator::getOpcodeStr(op->getOpcode()).str();
  if (isComplex(sub) || op->getOpcode() == clang::UO_Real || op->getOpcode() == clang::UO_Imag)
    if (op->getOpcode() != clang::UO_AddrOf && op->getOpcode() != clang::UO_Extension &&
        op->getOpcode() != clang::UO_LNot)
      return complexUnary(op);
  switch (op->getOpcode()) {
    case clang::UO_Minus:
      if (wraps(op->getType())) return wrapped(Text("0"), "-", Visit(sub), scalarOfType(op));
      [[fallthrough]];
    case clang::UO_Plus:
    case clang::UO_Not: {
      const std::string operand = promotedOperand(sub).at(Prec::Unary);
      // "--x" would be another operator.
      return Text(operand.front() == spelling.front() ? spelling + "(" + operand + ")" : spelling + operand,
                  Prec::Unary);
    }
    case clang::UO_LNot:
      return Text("!" + condition(sub).at(Prec::Unary), Prec::Unary);
    case clang::UO_AddrOf:
      return address(sub);
    case clang::UO_Deref:
      return deref(Visit(sub));
    case clang::UO_Extension:
      return Visit(sub);
    default:
      break;
  }
  if (!op->isIncrementDecrementOp() || op->getType()->isBooleanType()) return refuse(op, say::OperatorOnType(spelling));
  checkAssignable(sub, op);
  if (isHalf(sub->getType())) return halfIncrement(op, true);
  if (wraps(sub->getType())) return wrappedIncrement(op);
  const Text target = lvalue(sub);
  if (op->isPrefix()) return Text(spelling + target.at(Prec::Unary), Prec::Unary);
  return Text(target.at(Prec::Postfix) + spelling, Prec::Postfix);
}

Text Expressions::VisitConditionalOperator(const clang::ConditionalOperator* op) {
  const Scalar common = scalarOfType(op);
  const auto [left, right] = operands(op->getTrueExpr(), op->getFalseExpr(), promoted(common));
  return Text(condition(op->getCond()).at(Prec::LogicalOr) + " ? " + left.at(Prec::Assignment) + " : " +
                  right.at(Prec::Conditional),
              Prec::Conditional);
}

}  // namespace muster::plugin::opencl
