// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where clang makes one instruction of a product and a sum, which then rounds once: with -ffp-contract=on, its default,
// and a target that has such instructions (-march=native on most machines). The device then rounds as the host does.
// The cases are those of clang's code generator (ScalarExprEmitter, tryEmitFMulAdd): a product that is an operand of
// the sum, perhaps with a sign in front of it; of two the left one.
#include "clang/Basic/TargetInfo.h"
#include "lower/expressions/Expressions.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

struct Product {
  const clang::BinaryOperator* op = nullptr;
  bool isNegative = false;
};

bool hasFusedMultiplyAdd(const clang::TargetInfo& target) {
  return target.getTriple().isAArch64() || target.hasFeature("fma");
}

// A product of constants is a constant in the code, too.
Product productOf(const clang::ASTContext& context, const clang::Expr* expr) {
  Product product;
  expr = expr->IgnoreParens();
  if (const auto* sign = llvm::dyn_cast<clang::UnaryOperator>(expr); sign && sign->getOpcode() == clang::UO_Minus) {
    product.isNegative = true;
    expr = sign->getSubExpr()->IgnoreParens();
  }
  const auto* op = llvm::dyn_cast<clang::BinaryOperator>(expr);
  if (op && op->getOpcode() == clang::BO_Mul && !op->isEvaluatable(context)) product.op = op;
  return product;
}

Expression negated(const Expression& value) { return ir::prefix("-", ir::parentheses(value)); }

}  // namespace

bool Expressions::mayContract(const clang::BinaryOperator* op) const {
  const clang::BinaryOperatorKind kind = op->isCompoundAssignmentOp()
                                             ? clang::BinaryOperator::getOpForCompoundAssignment(op->getOpcode())
                                             : op->getOpcode();
  const Scalar type = scalarOfType(op->getRHS());
  if ((kind != clang::BO_Add && kind != clang::BO_Sub) || (type != Scalar::F32 && type != Scalar::F64)) return false;
  const clang::FPOptions options = op->getFPFeaturesInEffect(program_.context.getLangOpts());
  return (options.allowFPContractWithinStatement() || options.allowFPContractAcrossStatement()) &&
         hasFusedMultiplyAdd(program_.context.getTargetInfo());
}

// product + addend or, with signs, one of the differences.
Expression Expressions::fused(const clang::BinaryOperator* product, bool isNegative, const Expression& addend) {
  const auto [left, right] = operands(product->getLHS(), product->getRHS(), Scalar::None);
  const Expression first = isNegative ? negated(left) : left;
  return ir::call("fma", {first, right, addend});
}

std::optional<Expression> Expressions::contracted(const clang::BinaryOperator* op) {
  if (!mayContract(op)) return std::nullopt;
  const bool isDifference = op->getOpcode() == clang::BO_Sub;
  if (const Product left = productOf(program_.context, op->getLHS()); left.op) {
    const Expression addend = Visit(op->getRHS());
    return fused(left.op, left.isNegative, isDifference ? negated(addend) : addend);
  }
  const Product right = productOf(program_.context, op->getRHS());
  if (!right.op) return std::nullopt;
  return fused(right.op, right.isNegative != isDifference, Visit(op->getLHS()));
}

std::optional<Expression> Expressions::contractedCompound(const clang::CompoundAssignOperator* op) {
  const Product product = productOf(program_.context, op->getRHS());
  if (!product.op || !mayContract(op)) return std::nullopt;
  if (mayWrite(op->getLHS())) return refuse(op, say::ChangesTargetFused(op->getOpcodeStr()));
  const Expression target = lvalue(op->getLHS());
  const Scalar computed = scalarOf(program_.context, op->getComputationLHSType());
  const bool isSame = computed == scalarOfType(op->getLHS());
  const Expression addend = isSame ? target : ir::cast(scalarName(computed), target);
  const Expression sum = fused(product.op, product.isNegative != (op->getOpcode() == clang::BO_SubAssign), addend);
  return ir::assign(target, sum);
}

}  // namespace muster::plugin::lower
