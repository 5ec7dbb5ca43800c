// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RowTables.h"

#include "analysis/Affine.h"
#include "analysis/BodyWalker.h"
#include "analysis/RowLengths.h"

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

// Without casts to types that differ in const, and the temporaries that hold what they give.
static const Expr* withoutQualifications(const Expr* expr) {
  for (;;) {
    expr = expr->IgnoreParens();
    auto* cast = dyn_cast<CastExpr>(expr);
    auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr);
    if (!temporary && (!cast || cast->getCastKind() != CK_NoOp)) return expr;
    expr = temporary ? temporary->getSubExpr() : cast->getSubExpr();
  }
}

const VarDecl* tableOf(const Expr* expr, const Objects& objects, const ObjectBindings& bindings) {
  const Expr* place = withoutQualifications(expr);
  if (!place->isGLValue()) {  // else an argument for a reference
    auto* cast = dyn_cast<ImplicitCastExpr>(place);
    if (!cast || (cast->getCastKind() != CK_LValueToRValue && cast->getCastKind() != CK_ArrayToPointerDecay))
      return nullptr;
    place = cast->getSubExpr()->IgnoreParens();
  }
  const VarDecl* var = objects.variable(place, bindings);
  if (!var && isa<MemberExpr>(place)) var = objects.member(place, bindings);
  if (var && objects.find(var) && !var->getType()->isPointerType()) return nullptr;  // each u[k] is a member (Objects)
  if (auto* reference = dyn_cast<DeclRefExpr>(place); reference && !var) {
    var = dyn_cast<VarDecl>(reference->getDecl());
    if (var && var->hasGlobalStorage() && bindings.isCallee) return nullptr;  // functions would see the user's
  }
  return var && !rowElement(var->getType()).isNull() ? var : nullptr;
}

std::optional<RowUse> rowPlace(const Expr* place, const Objects& objects, const ObjectBindings& bindings) {
  const auto useOf = [&](const Expr* base, const Expr* index) {
    const VarDecl* table = tableOf(base, objects, bindings);
    auto* name = dyn_cast<DeclRefExpr>(base->IgnoreParenImpCasts());
    return table ? std::optional(RowUse{table, index, name && name->getDecl() == table}) : std::nullopt;
  };
  if (!place->getType()->isPointerType()) return std::nullopt;
  place = place->IgnoreParens();
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(place)) return useOf(subscript->getBase(), subscript->getIdx());
  auto* deref = dyn_cast<UnaryOperator>(place);
  if (!deref || deref->getOpcode() != UO_Deref) return std::nullopt;
  const Expr* pointer = deref->getSubExpr()->IgnoreParens();
  if (auto* sum = dyn_cast<BinaryOperator>(pointer); sum && sum->getOpcode() == BO_Add)
    return useOf(sum->getLHS(), sum->getRHS());
  return useOf(pointer, nullptr);
}

std::optional<RowUse> rowUse(const Expr* expr, const Objects& objects, const ObjectBindings& bindings) {
  auto* cast = dyn_cast<ImplicitCastExpr>(expr);
  if (!cast || cast->getCastKind() != CK_LValueToRValue) return std::nullopt;
  return rowPlace(cast->getSubExpr(), objects, bindings);
}

// A pointer to the row's first element; that the row is used is recorded.
Value BodyWalker::rowOf(const RowUse& use) {
  const unsigned array = context_.arrayOf.at(use.table);
  const Value index = use.index ? evaluate(use.index) : Value::of(constantForm(0));
  if (index.forms.empty()) {  // the launch asks the table how many rows it has
    context_.facts.arrays[array].anyRow = true;
    return {{}, {Pointer{nullptr, array, std::nullopt}}};
  }
  const ArrayFact& fact = context_.facts.arrays[array];
  const VarDecl* length = context_.facts.scalars[*rowNumber(context_.facts, fact, RowNumber::Length)].var;
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
