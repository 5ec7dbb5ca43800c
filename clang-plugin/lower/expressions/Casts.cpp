// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implicit and explicit casts.
#include "clang/AST/RecordLayout.h"
#include "lower/expressions/Expressions.h"
#include "lower/program/Narrowing.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

bool isLiteral(const clang::Expr* expr) {
  expr = expr->IgnoreParens();
  if (const auto* ref = llvm::dyn_cast<clang::DeclRefExpr>(expr))
    return llvm::isa<clang::EnumConstantDecl>(ref->getDecl());
  return llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CharacterLiteral>(expr);
}

}  // namespace

Expression Expressions::cast(clang::QualType type, const clang::Expr* operand, const clang::Expr* at) {
  const Scalar from = scalarOfType(operand), to = scalarOf(program_.context, type);
  if (from == Scalar::None || to == Scalar::None)
    return refuse(at, say::Converts(operand->getType().getAsString(), type.getAsString()));
  if (from != to && isLiteral(operand) && at->getType() == type) return evaluated(at);
  if (to == Scalar::F16 && from != to) {
    if (const auto value = halfConstant(at)) return floatText(*value, to);
    return halfValue(halfBits(Visit(operand), from));
  }
  const Expression text = Visit(operand);
  if (valueScalar(from) == to || from == to) return text;
  if (narrowsIteration(program_, operand, type)) return narrowed(program_, to, text);
  return ir::cast(typeName(type.getUnqualifiedType(), Space::Private, at), text);
}

Expression Expressions::pointerCast(const clang::CastExpr* cast) {
  const Expression sub = Visit(cast->getSubExpr());
  const Space space = scope_.spaces.ofPointee(cast->getSubExpr());
  return ir::cast(typeName(cast->getType().getUnqualifiedType(), space, cast), sub);
}

// A pointer to the part of an object that is a base class.
Expression Expressions::toBase(const clang::CastExpr* cast) {
  const clang::Expr* sub = cast->getSubExpr();
  const bool isPointer = cast->getType()->isPointerType();
  const Space space = isPointer ? scope_.spaces.ofPointee(sub) : scope_.spaces.ofObject(sub);
  const clang::QualType target = isPointer ? cast->getType()->getPointeeType() : cast->getType();
  std::int64_t offset = 0;
  const clang::CXXRecordDecl* record =
      (isPointer ? sub->getType()->getPointeeType() : sub->getType())->getAsCXXRecordDecl();
  for (const clang::CXXBaseSpecifier* step : cast->path()) {
    if (step->isVirtual()) return VisitStmt(cast);
    const clang::CXXRecordDecl* base = step->getType()->getAsCXXRecordDecl();
    offset += program_.context.getASTRecordLayout(record).getBaseClassOffset(base).getQuantity();
    record = base;
  }
  const Expression pointer = isPointer ? Visit(sub) : address(sub);
  const std::string type = typeName(program_.context.getPointerType(target), space, cast);
  if (offset == 0) return ir::cast(type, pointer);
  const Expression bytes = ir::cast(spacePrefix(space) + std::string("uchar *"), pointer);
  return ir::cast(type, ir::binary("+", bytes, ir::literal(std::to_string(offset))));
}

Expression Expressions::noOpCast(const clang::CastExpr* cast) {
  // Qualifications: C adds them by itself, except below arrays, and takes them away for an explicit cast only.
  const clang::QualType type = cast->getType();
  if (!cast->isGLValue() && type->isPointerType() &&
      (llvm::isa<clang::ExplicitCastExpr>(cast) || type->getPointeeType()->isArrayType()))
    return pointerCast(cast);
  return Visit(cast->getSubExpr());
}

Expression Expressions::VisitCastExpr(const clang::CastExpr* expr) {
  const clang::Expr* sub = expr->getSubExpr();
  if (const auto text = complexCast(expr)) return *text;
  switch (expr->getCastKind()) {
    case clang::CK_LValueToRValue:
      if (expr->getType()->isPointerType()) return pointerIn(sub);
      return isHalf(expr->getType()) ? halfValue(Visit(sub)) : Visit(sub);
    case clang::CK_ArrayToPointerDecay:
    case clang::CK_ConstructorConversion:
    case clang::CK_UserDefinedConversion:
      return Visit(sub);
    case clang::CK_NoOp:
      return noOpCast(expr);
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
      return expr->getType()->isPointerType() ? toBase(expr) : ir::target(toBase(expr));
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingCast:
      return cast(expr->getType(), sub, expr);
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToBoolean:
    case clang::CK_PointerToBoolean:
      return isNonzero(Visit(sub));
    case clang::CK_FloatingComplexToBoolean:
      return complexCondition(sub, Visit(sub));
    case clang::CK_ToVoid:
      return ir::cast("void", Visit(sub));
    case clang::CK_NullToPointer:
      return ir::literal("0");
    case clang::CK_BitCast:
      if (expr->getType()->isPointerType() && sub->getType()->isPointerType()) return pointerCast(expr);
      break;
    case clang::CK_LValueBitCast:
      return ir::target(address(expr));
    case clang::CK_LValueToRValueBitCast: {
      const Scalar from = scalarOfType(sub), to = scalarOfType(expr);
      if (from == Scalar::None || to == Scalar::None || bitsOf(from) != bitsOf(to)) break;
      if (to == Scalar::F16) return halfValue(ir::call("as_ushort", {Visit(sub)}));
      return ir::call(std::string("as_") + scalarName(to), {Visit(sub)});
    }
    default:
      break;
  }
  return refuse(expr,
                say::ConvertsBy(sub->getType().getAsString(), expr->getType().getAsString(), expr->getCastKindName()));
}

}  // namespace muster::plugin::lower
