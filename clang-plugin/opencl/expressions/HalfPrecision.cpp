// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _Float16 and __fp16 without an extension of OpenCL: objects of these types hold their 16 bits (muster_half, a
// ushort), their values are floats. Arithmetic is done in float and rounded where the host's compiler rounds, so that
// results are equal bit for bit: float has more than twice the digits, so that rounding a float's sum, product or
// quotient once more gives what rounding the exact one gives.
#include <set>

#include "analysis/loops/SimdLoops.h"
#include "opencl/expressions/Expressions.h"
#include "opencl/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::opencl {

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

Text Expressions::halfCall(const char* name, const std::string& argument) {
  program_.types.noteHalf();
  program_.helper(helpersName, helpers);
  return Text(std::string(name) + "(" + argument + ")", Prec::Postfix);
}

Text Expressions::halfValue(const Text& bits) { return halfCall("muster_half_value", bits.at(Prec::Assignment)); }

Text Expressions::halfBits(const Text& value, Scalar scalar) {
  // What an object holds, read.
  llvm::StringRef bits = value.text;
  if (value.prec == Prec::Postfix && bits.consume_front("muster_half_value("))
    return Text(bits.drop_back().str(), Prec::Assignment);
  if (scalar != Scalar::F64) return halfCall("muster_half_bits", value.at(Prec::Assignment));
  program_.types.noteFp64();
  program_.helper("muster_half_bits_of_double", helperOfDouble);
  return halfCall("muster_half_bits_of_double", value.at(Prec::Assignment));
}

Text Expressions::halfBits(const clang::Expr* expr) {
  const clang::Expr* inner = expr->IgnoreParens();
  if (inner->isGLValue()) return Visit(inner);
  if (const auto* read = isRead(inner)) return Visit(read->getSubExpr());
  if (const auto value = halfConstant(inner)) return Text(halfConstantBits(*value));
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
Text Expressions::halfExcess(const clang::Expr* expr) {
  expr = expr->IgnoreParens();
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(expr); op && isHalfArithmetic(op))
    return halfOperation(op);
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr);
  const bool isSign = unary && (unary->getOpcode() == clang::UO_Plus || unary->getOpcode() == clang::UO_Minus);
  if (!isSign || !expr->getType().UseExcessPrecision(program_.context)) return Visit(expr);
  const std::string operand = halfExcess(unary->getSubExpr()).at(Prec::Postfix);
  if (unary->getOpcode() == clang::UO_Plus) return Text(operand, Prec::Unary);
  return Text(operand.front() == '-' ? "-(" + operand + ")" : "-" + operand, Prec::Unary);
}

// The float that an operation gives. Its operands are floats of the same kind, if the target computes that way.
Text Expressions::halfOperation(const clang::BinaryOperator* op) {
  const bool keeps = op->getType().UseExcessPrecision(program_.context);
  const auto operand = [&](const clang::Expr* expr) { return keeps ? halfExcess(expr) : Visit(expr); };
  const Text left = operand(op->getLHS()), right = operand(op->getRHS());
  const Prec prec = op->isAdditiveOp() ? Prec::Additive : Prec::Multiplicative;
  const Prec behind = op->isAdditiveOp() ? Prec::Multiplicative : Prec::Unary;
  return Text(left.at(prec) + " " + op->getOpcodeStr().str() + " " + right.at(behind), prec);
}

Text Expressions::effect(const clang::Expr* expr) {
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr->IgnoreParens());
  if (unary && unary->isIncrementDecrementOp() && isHalf(unary->getType())) {
    checkAssignable(unary->getSubExpr(), unary);
    return halfIncrement(unary, false);
  }
  const Text text = Visit(expr);
  return isHalf(expr->getType()) && !expr->isGLValue() ? halfBits(text, Scalar::F32) : text;
}

// In C an assignment is a value, in C++ the object.
Text Expressions::halfAssigned(const clang::Expr* assignment, const Text& text) {
  return isHalf(assignment->getType()) && !assignment->isGLValue() ? halfValue(text) : text;
}

// One of the two sides is an object of a half type, or a number that is computed with in one (`i += h`).
Text Expressions::halfCompound(const clang::CompoundAssignOperator* op) {
  const clang::Expr* target = op->getLHS();
  if (mayWrite(target)) return refuse(op, say::ChangesTargetInHalf(op->getOpcodeStr()));
  const Scalar computed = scalarOf(program_.context, op->getComputationLHSType()), stored = scalarOfType(target);
  const bool keeps = op->getComputationLHSType().UseExcessPrecision(program_.context);
  const Text place = lvalue(target);
  Text old = stored == Scalar::F16 ? halfValue(place) : Text("(float)" + place.at(Prec::Unary), Prec::Unary);
  if (stored != Scalar::F16 && !keeps) old = halfValue(halfBits(old, Scalar::F32));
  if (computed == Scalar::F64) old = Text("(double)" + old.at(Prec::Unary), Prec::Unary);
  const Text right = keeps ? halfExcess(op->getRHS()) : Visit(op->getRHS());
  const auto opcode = clang::BinaryOperator::getOpForCompoundAssignment(op->getOpcode());
  const bool additive = clang::BinaryOperator::isAdditiveOp(opcode);
  const Prec prec = additive ? Prec::Additive : Prec::Multiplicative;
  Text result(old.at(prec) + " " + clang::BinaryOperator::getOpcodeStr(opcode).str() + " " +
                  right.at(additive ? Prec::Multiplicative : Prec::Unary),
              prec);
  if (stored == Scalar::F16) {
    result = halfBits(result, computed);
  } else {
    if (!keeps) result = halfValue(halfBits(result, Scalar::F32));
    result = Text(std::string("(") + scalarName(stored) + ")" + result.at(Prec::Unary), Prec::Unary);
  }
  return halfAssigned(op, Text(place.at(Prec::Unary) + " = " + result.at(Prec::Assignment), Prec::Assignment));
}

Text Expressions::halfIncrement(const clang::UnaryOperator* op, bool isUsed) {
  const clang::Expr* target = op->getSubExpr();
  const std::string spelling = clang::UnaryOperator::getOpcodeStr(op->getOpcode()).str();
  if (mayWrite(target)) return refuse(op, say::ChangesTargetInHalf(spelling));
  const Text place = lvalue(target);
  const std::string change = std::string(op->isIncrementOp() ? " + " : " - ") + "1.0f";
  const auto next = [&](const Text& old) {
    const Text value(halfValue(old).text + change, Prec::Additive);
    return place.at(Prec::Unary) + " = " + halfBits(value, Scalar::F32).text;
  };
  if (!isUsed) return Text(next(place), Prec::Assignment);
  if (op->isPrefix()) return halfAssigned(op, Text(next(place), Prec::Assignment));
  const Text old(scope_.temporary(target->getType().getUnqualifiedType(), op->getExprLoc()));
  return Text(old.text + " = " + place.at(Prec::Assignment) + ", " + next(old) + ", " + halfValue(old).text,
              Prec::Comma);
}

}  // namespace muster::plugin::opencl
