// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RowTables.h"

#include "analysis/Affine.h"
#include "analysis/BodyWalker.h"
#include "analysis/RowLengths.h"
#include "analysis/SourceText.h"

namespace muster::plugin {

using namespace clang;

QualType rowElement(QualType type) {
  type = type.getNonReferenceType();
  QualType row;
  if (type->isPointerType())
    row = type->getPointeeType();
  else if (type->isConstantArrayType())
    row = type->getAsArrayTypeUnsafe()->getElementType();
  if (row.isNull() || !row->isPointerType() || row.isVolatileQualified()) return {};
  const QualType element = row->getPointeeType();
  if (element->isPointerType() || element->isArrayType() || element->isFunctionType() || element->isVoidType())
    return {};
  return element;
}

// The variable whose value, or first row, `expr` is.
static const VarDecl* tableOf(const Expr* expr) {
  auto* cast = dyn_cast<ImplicitCastExpr>(expr->IgnoreParens());
  while (cast && cast->getCastKind() == CK_NoOp) cast = dyn_cast<ImplicitCastExpr>(cast->getSubExpr()->IgnoreParens());
  if (!cast || (cast->getCastKind() != CK_LValueToRValue && cast->getCastKind() != CK_ArrayToPointerDecay))
    return nullptr;
  auto* reference = dyn_cast<DeclRefExpr>(cast->getSubExpr()->IgnoreParens());
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return var && !rowElement(var->getType()).isNull() ? var : nullptr;
}

static std::optional<RowUse> useOf(const Expr* base, const Expr* index) {
  const VarDecl* table = tableOf(base);
  return table ? std::optional(RowUse{table, index}) : std::nullopt;
}

std::optional<RowUse> rowUse(const Expr* expr) {
  auto* cast = dyn_cast<ImplicitCastExpr>(expr);
  if (!cast || cast->getCastKind() != CK_LValueToRValue || !cast->getType()->isPointerType()) return std::nullopt;
  const Expr* place = cast->getSubExpr()->IgnoreParens();
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(place)) return useOf(subscript->getBase(), subscript->getIdx());
  auto* deref = dyn_cast<UnaryOperator>(place);
  if (!deref || deref->getOpcode() != UO_Deref) return std::nullopt;
  const Expr* pointer = deref->getSubExpr()->IgnoreParens();
  if (auto* sum = dyn_cast<BinaryOperator>(pointer); sum && sum->getOpcode() == BO_Add)
    return useOf(sum->getLHS(), sum->getRHS());
  return useOf(pointer, nullptr);
}

// A pointer to the row's first element; that the row is used is recorded.
Value BodyWalker::rowOf(const RowUse& use, const Expr* expr) {
  const unsigned array = context_.arrayOf.at(use.table);
  const Value index = use.index ? evaluate(use.index) : Value::of(constantForm(0));
  if (index.forms.empty()) {
    context_.refuse(expr->getExprLoc(), "uses '" + sourceText(context_.ast, expr) +
                                            "', a row whose number is not an affine form of the loop variables");
    return {};
  }
  const ArrayFact& fact = context_.facts.arrays[array];
  const VarDecl* length = context_.facts.scalars[*rowLength(context_.facts, fact, 0)].var;
  const AffineExpr scale =
      symbol(nullptr, rowLengthText(context_.facts, length), use.table->getNameAsString() + "_length");
  Value result;
  for (const AffineExpr& row : index.forms) {
    const bool known = llvm::any_of(context_.facts.rows, [&](const RowFact& other) {
      return other.array == array && sameForm(other.row, row) && other.row.guards == row.guards;
    });
    if (!known) context_.facts.rows.push_back({array, row});
    result.pointers.push_back({nullptr, array, multiply(row, scale)});
  }
  return result;
}

}  // namespace muster::plugin
