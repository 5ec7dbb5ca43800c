// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Literals, constants and initialisers.
#include "ir/Fold.h"
#include "lower/expressions/Expressions.h"
#include "lower/types/Constants.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

Expression Expressions::refuse(const clang::Stmt* node, const llvm::Twine& what) {
  program_.refusals.add(node->getBeginLoc(), what);
  return ir::literal("0");
}

// What OpenCL C has no text for, and what the analysis keeps away from kernels.
Expression Expressions::VisitStmt(const clang::Stmt* node) {
  return refuse(node, say::KindWithoutCounterpart(node->getStmtClassName()));
}

Expression Expressions::VisitIntegerLiteral(const clang::IntegerLiteral* literal) {
  const llvm::APSInt value(literal->getValue(), literal->getType()->isUnsignedIntegerType());
  if (scalarOfType(literal) == Scalar::None)
    return refuse(literal, say::TypeNotInOpenCL(literal->getType().getAsString()));
  return integerText(value, scalarOfType(literal));
}

Expression Expressions::VisitFloatingLiteral(const clang::FloatingLiteral* literal) {
  const Scalar scalar = scalarOfType(literal);
  if (scalar == Scalar::None) return refuse(literal, say::TypeNotInOpenCL(literal->getType().getAsString()));
  if (scalar == Scalar::F64) program_.types.noteFp64();
  return floatText(literal->getValue(), scalar);
}

// A float or double times the imaginary unit.
Expression Expressions::VisitImaginaryLiteral(const clang::ImaginaryLiteral* literal) {
  const std::string type = complexType(literal->getType(), literal).name;
  return ir::braces({ir::literal("0"), Visit(literal->getSubExpr())}, type);
}

Expression Expressions::VisitCharacterLiteral(const clang::CharacterLiteral* literal) { return evaluated(literal); }

Expression Expressions::VisitCXXBoolLiteralExpr(const clang::CXXBoolLiteralExpr* literal) {
  return ir::literal(literal->getValue() ? "1" : "0");
}

Expression Expressions::evaluated(const clang::Expr* expr) {
  clang::Expr::EvalResult result;
  if (!expr->EvaluateAsRValue(result, program_.context) || result.HasSideEffects) return VisitStmt(expr);
  const auto text = scalarConstant(program_, result.Val, expr->getType());
  return text ? *text : VisitStmt(expr);
}

std::optional<Expression> Expressions::foldedCall(const clang::CallExpr* call) {
  clang::Expr::EvalResult result;
  if (!call->isPRValue() || !call->EvaluateAsRValue(result, program_.context) || result.HasSideEffects) return {};
  if (computesInHalf(call)) return {};
  return scalarConstant(program_, result.Val, call->getType());
}

Expression Expressions::zero(const clang::Expr* expr) {
  const clang::QualType type = expr->getType();
  if (type->isRecordType() || type->isAnyComplexType())
    return ir::braces({ir::literal("0")}, typeName(type, Space::Private, expr));
  const Scalar scalar = scalarOfType(expr);
  if (isFloating(scalar)) {
    if (scalar == Scalar::F64) program_.types.noteFp64();
    return ir::literal(scalar == Scalar::F64 ? "0.0" : "0.0f");
  }
  if (scalar == Scalar::None && !type->isPointerType()) return VisitStmt(expr);
  const bool isLong = scalar == Scalar::I64 || scalar == Scalar::U64;
  return ir::literalOf({0, isLong, scalar == Scalar::U32 || scalar == Scalar::U64});
}

Expression Expressions::VisitInitListExpr(const clang::InitListExpr* list) {
  if (list->getType()->isRecordType())
    return elements(list, typeName(list->getType().getUnqualifiedType(), Space::Private, list));
  if (isComplex(list) && list->getNumInits() == 2)
    return ir::braces({converted(list->getInit(0)), converted(list->getInit(1))},
                      complexType(list->getType(), list).name);
  if (list->getType()->isArrayType()) return refuse(list, say::TemporaryArray);
  if (list->getNumInits() == 0) return zero(list);
  return Visit(list->getInit(0));  // of the list's type, which what is around it may depend on
}

Expression Expressions::VisitCompoundLiteralExpr(const clang::CompoundLiteralExpr* literal) {
  const clang::Expr* value = literal->getInitializer();
  const clang::QualType type = literal->getType().getUnqualifiedType();
  if (type->isRecordType()) {
    if (!llvm::isa<clang::InitListExpr>(value->IgnoreImplicit())) return converted(value);  // by a constructor
    const std::string name = typeName(type, Space::Private, literal);
    return ir::braces(initialiser(value).parts().vec(), name);
  }
  const auto* array = program_.context.getAsConstantArrayType(type);
  const auto* list = llvm::dyn_cast<clang::InitListExpr>(value);
  if (!array) return isHalf(type) ? halfBits(value) : Visit(value);
  // OpenCL's compilers do not agree on the address space of such an array.
  constexpr unsigned mostElements = 64;
  if (!list || !array->getElementType()->isArithmeticType() || array->getZExtSize() > mostElements)
    return refuse(literal, say::TemporaryArray);
  const std::string name = scope_.temporary(type, literal->getExprLoc());
  std::vector<Expression> parts;
  for (unsigned i = 0; i < array->getZExtSize(); ++i) {
    const clang::Expr* element = i < list->getNumInits() ? list->getInit(i) : list->getArrayFiller();
    parts.push_back(ir::assign(ir::subscript(ir::name(name), ir::literal(std::to_string(i))), converted(element)));
  }
  parts.push_back(ir::name(name));
  return ir::comma(std::move(parts));
}

Expression Expressions::elements(const clang::InitListExpr* list, const std::string& type) {
  if (list->isSyntacticForm() && list->getSemanticForm()) list = list->getSemanticForm();
  std::vector<Expression> given;
  std::vector<std::string> names;  // of the members, where their places in the text are others
  if (const auto* record = list->getType()->getAsRecordDecl()) {
    typeName(list->getType().getUnqualifiedType(), Space::Private, list);
    if (program_.types.isPadded(record)) {
      for (const clang::CXXRecordDecl* base : Types::basesWithData(record->getDefinition()))
        names.push_back(program_.types.base(base));
      for (const clang::FieldDecl* field : record->getDefinition()->fields())
        if (!field->isUnnamedBitField()) names.push_back(program_.types.field(field));
    }
  }
  const auto add = [&](const clang::Expr* element) {
    given.push_back(names.empty() ? initialiser(element) : ir::designated(names.front(), initialiser(element)));
    if (!names.empty()) names.erase(names.begin());
  };
  if (const clang::FieldDecl* active = list->getInitializedFieldInUnion(); active && list->getNumInits() == 1)
    return ir::braces({ir::designated(program_.types.field(active), initialiser(list->getInit(0)))}, type);
  const auto* record = list->getType()->getAsCXXRecordDecl();
  std::vector<const clang::Expr*> parts(list->inits().begin(), list->inits().end());
  if (record)
    for (unsigned i = record->getNumBases(); i-- > 0;)
      if ((record->bases_begin() + i)->getType()->getAsCXXRecordDecl()->isEmpty()) parts.erase(parts.begin() + i);
  for (const clang::Expr* element : parts) {
    // C leaves the order of evaluation open, C++ goes from left to right.
    if (list->getNumInits() > 1 && writesVariables(element)) refuse(element, say::ChangesInInitialiser);
    add(element);
  }
  if (const auto* array = program_.context.getAsConstantArrayType(list->getType()); array && list->getArrayFiller())
    if (!llvm::isa<clang::ImplicitValueInitExpr>(list->getArrayFiller()))
      for (std::uint64_t i = list->getNumInits(); i < array->getZExtSize(); ++i) add(list->getArrayFiller());
  if (given.empty()) given.push_back(ir::literal("0"));
  return ir::braces(std::move(given), type);
}

Expression Expressions::stringElements(const clang::StringLiteral* literal, const clang::Expr* at) {
  const auto* array = program_.context.getAsConstantArrayType(at->getType());
  const Scalar scalar = array ? scalarOf(program_.context, array->getElementType()) : Scalar::None;
  if (scalar == Scalar::None) VisitStmt(at);
  std::vector<Expression> units;
  for (unsigned i = 0; i < literal->getLength(); ++i)
    units.push_back(ir::literal(std::to_string(literal->getCodeUnit(i))));
  units.push_back(ir::literal("0"));
  return ir::braces(std::move(units));
}

Expression Expressions::initialiser(const clang::Expr* expr) {
  const clang::Expr* inner = expr->IgnoreParens();
  if (const auto* full = llvm::dyn_cast<clang::FullExpr>(inner)) return initialiser(full->getSubExpr());
  if (const auto* standing = llvm::dyn_cast<clang::CXXDefaultInitExpr>(inner)) return initialiser(standing->getExpr());
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(inner);
      list && (list->getType()->isRecordType() || list->getType()->isArrayType())) {
    const auto* literal =
        list->isStringLiteralInit() ? llvm::dyn_cast<clang::StringLiteral>(list->getInit(0)) : nullptr;
    return literal ? stringElements(literal, list) : elements(list);
  }
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(inner)) return stringElements(literal, literal);
  if (llvm::isa<clang::ImplicitValueInitExpr>(inner) && !inner->getType()->isScalarType())
    return ir::braces({ir::literal("0")});
  return converted(expr);
}

}  // namespace muster::plugin::lower
