// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _Float16 and __fp16 without an extension of OpenCL: objects of these types hold their 16 bits (muster_half, a
// ushort), their values are floats. Arithmetic is done in float and rounded where the host's compiler rounds, so that
// results are equal bit for bit: float has more than twice the digits, so that rounding a float's sum, product or
// quotient once more gives what rounding the exact one gives.
#include <set>

#include "analysis/loops/SimdLoops.h"
#include "lower/expressions/Expressions.h"
#include "lower/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

// Its name sorts before those of the helpers that need it.
const char* const helpersName = "muster_0_half";
const char* const helpers = R"(static float muster_half_value(muster_half bits) {
  return vload_half(0, (const half *)&bits);
}

static muster_half muster_half_bits(float value) {
  muster_half bits;
  vstore_half_rte(value, 0, (half *)&bits);
  return bits;
}

)";

// By way of a float with a last digit that is odd where digits were lost: it is never taken for a tie.
const char* const helperOfDouble = R"(static muster_half muster_half_bits_of_double(double value) {
  float odd = convert_float_rtz(value);
  if (odd != value) odd = as_float(as_uint(odd) | 1u);
  return muster_half_bits(odd);
}

)";

const clang::CastExpr* isRead(const clang::Expr* expr) {
  const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr);
  return cast && cast->getCastKind() == clang::CK_LValueToRValue ? cast : nullptr;
}

bool computes(const clang::Stmt* code) {
  if (code == nullptr) return false;
  if (llvm::isa<clang::CallExpr, clang::BinaryOperator>(code)) return true;
  return llvm::any_of(partsOf(code), computes);
}

bool computesInHalf(const clang::Stmt* code, std::set<const clang::FunctionDecl*>& seen) {
  if (code == nullptr) return false;
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(code);
  if (op && (isHalf(op->getType()) || isHalf(op->getLHS()->getType()))) return true;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(code);
  const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (callee && callee->hasBody(callee) && seen.insert(callee).second && computesInHalf(callee->getBody(), seen))
    return true;
  return llvm::any_of(partsOf(code), [&](const clang::Stmt* child) { return computesInHalf(child, seen); });
}

}  // namespace

bool computesInHalf(const clang::Expr* expr) {
  std::set<const clang::FunctionDecl*> seen;
  return computesInHalf(expr, seen);
}

Expression Expressions::halfCall(const char* name, const Expression& argument) {
  program_.types.noteHalf();
  program_.helper(helpersName, helpers);
  return ir::call(name, {argument});
}

Expression Expressions::halfValue(const Expression& bits) { return halfCall("muster_half_value", bits); }

Expression Expressions::halfBits(const Expression& value, Scalar scalar) {
  // What an object holds, read.
  if (value.is(ir::ExpressionKind::Call, "muster_half_value")) return value.part(0);
  if (scalar != Scalar::F64) return halfCall("muster_half_bits", value);
  program_.types.noteFp64();
  program_.helper("muster_half_bits_of_double", helperOfDouble);
  return halfCall("muster_half_bits_of_double", value);
}

Expression Expressions::halfBits(const clang::Expr* expr) {
  const clang::Expr* inner = expr->IgnoreParens();
  if (inner->isGLValue()) return Visit(inner);
  if (const auto* read = isRead(inner)) return Visit(read->getSubExpr());
  if (const auto value = halfConstant(inner)) return ir::literal(halfConstantBits(*value));
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(inner);
      cast && cast->getCastKind() == clang::CK_FloatingCast && scalarOfType(cast->getSubExpr()) == Scalar::F64)
    return halfBits(Visit(cast->getSubExpr()), Scalar::F64);
  return halfBits(halfExcess(inner), Scalar::F32);
}

// Of a literal, or of another constant that becomes one: the device need not have the type that it is written in.
std::optional<llvm::APFloat> Expressions::halfConstant(const clang::Expr* expr) {
  clang::Expr::EvalResult result;
  const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr);
  const bool isKnown = llvm::isa<clang::FloatingLiteral, clang::ImplicitValueInitExpr>(expr) ||
                       (cast && !isHalf(cast->getSubExpr()->getType()) && !computes(cast->getSubExpr()));
  if (!isKnown || !expr->EvaluateAsRValue(result, program_.context) || result.HasSideEffects || !result.Val.isFloat())
    return {};
  return result.Val.getFloat();
}

bool Expressions::isHalfArithmetic(const clang::BinaryOperator* op) {
  return isHalf(op->getType()) && (op->isAdditiveOp() || op->isMultiplicativeOp());
}

// As a float that is perhaps not rounded yet: what the host's compiler hands from one operation of an expression to the
// next.
Expression Expressions::halfExcess(const clang::Expr* expr) {
  expr = expr->IgnoreParens();
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(expr); op && isHalfArithmetic(op))
    return halfOperation(op);
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr);
  const bool isSign = unary && (unary->getOpcode() == clang::UO_Plus || unary->getOpcode() == clang::UO_Minus);
  if (!isSign || !expr->getType().UseExcessPrecision(program_.context)) return Visit(expr);
  const Expression operand = halfExcess(unary->getSubExpr());
  return unary->getOpcode() == clang::UO_Plus ? operand : ir::prefix("-", operand);
}

// The float that an operation gives. Its operands are floats of the same kind, if the target computes that way.
Expression Expressions::halfOperation(const clang::BinaryOperator* op) {
  const bool keeps = op->getType().UseExcessPrecision(program_.context);
  const auto operand = [&](const clang::Expr* expr) { return keeps ? halfExcess(expr) : Visit(expr); };
  const Expression left = operand(op->getLHS()), right = operand(op->getRHS());
  return ir::binary(op->getOpcodeStr(), left, right);
}

Expression Expressions::effect(const clang::Expr* expr) {
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr->IgnoreParens());
  if (unary && unary->isIncrementDecrementOp() && isHalf(unary->getType())) {
    checkAssignable(unary->getSubExpr(), unary);
    return halfIncrement(unary, false);
  }
  const Expression text = Visit(expr);
  return isHalf(expr->getType()) && !expr->isGLValue() ? halfBits(text, Scalar::F32) : text;
}

// In C an assignment is a value, in C++ the object.
Expression Expressions::halfAssigned(const clang::Expr* assignment, const Expression& text) {
  return isHalf(assignment->getType()) && !assignment->isGLValue() ? halfValue(text) : text;
}

// One of the two sides is an object of a half type, or a number that is computed with in one (`i += h`).
Expression Expressions::halfCompound(const clang::CompoundAssignOperator* op) {
  const clang::Expr* target = op->getLHS();
  if (mayWrite(target)) return refuse(op, say::ChangesTargetInHalf(op->getOpcodeStr()));
  const Scalar computed = scalarOf(program_.context, op->getComputationLHSType()), stored = scalarOfType(target);
  const bool keeps = op->getComputationLHSType().UseExcessPrecision(program_.context);
  const Expression place = lvalue(target);
  Expression old = stored == Scalar::F16 ? halfValue(place) : ir::cast("float", place);
  if (stored != Scalar::F16 && !keeps) old = halfValue(halfBits(old, Scalar::F32));
  if (computed == Scalar::F64) old = ir::cast("double", old);
  const Expression right = keeps ? halfExcess(op->getRHS()) : Visit(op->getRHS());
  const auto opcode = clang::BinaryOperator::getOpForCompoundAssignment(op->getOpcode());
  Expression result = ir::binary(clang::BinaryOperator::getOpcodeStr(opcode), old, right);
  if (stored == Scalar::F16) {
    result = halfBits(result, computed);
  } else {
    if (!keeps) result = halfValue(halfBits(result, Scalar::F32));
    result = ir::cast(scalarName(stored), result);
  }
  return halfAssigned(op, ir::assign(place, result));
}

Expression Expressions::halfIncrement(const clang::UnaryOperator* op, bool isUsed) {
  const clang::Expr* target = op->getSubExpr();
  const std::string spelling = clang::UnaryOperator::getOpcodeStr(op->getOpcode()).str();
  if (mayWrite(target)) return refuse(op, say::ChangesTargetInHalf(spelling));
  const Expression place = lvalue(target);
  const auto next = [&](const Expression& old) {
    const Expression value = ir::binary(op->isIncrementOp() ? "+" : "-", halfValue(old), ir::literal("1.0f"));
    return ir::assign(place, halfBits(value, Scalar::F32));
  };
  if (!isUsed) return next(place);
  if (op->isPrefix()) return halfAssigned(op, next(place));
  const Expression old = ir::name(scope_.temporary(target->getType().getUnqualifiedType(), op->getExprLoc()));
  return ir::comma({ir::assign(old, place), next(old), halfValue(old)});
}

}  // namespace muster::plugin::lower
