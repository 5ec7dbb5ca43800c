// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lvalues denote.
#include "analysis/loops/Iterators.h"
#include "analysis/walk/BodyWalker.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

Place BodyWalker::place(const Expr* expr) {
  if (!expr || context_.refused()) return {};
  expr = expr->IgnoreParens();
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) return placeOfReference(reference);
  if (isa<MemberExpr>(expr) || (isa<ArraySubscriptExpr, UnaryOperator>(expr) && expr->getType()->isPointerType()) ||
      isSmartArray(expr->getType()))
    if (const VarDecl* var = context_.objects().member(expr, bindings_)) return placeOfVariable(var);
  if (!context_.objects().elements(expr, bindings_).empty()) {
    context_.refuse(expr->getExprLoc(), say::OneOfSeveralPointers(sourceText(context_.ast, expr)));
    return {};
  }
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) return placeOfSubscript(subscript);
  if (auto* op = dyn_cast<UnaryOperator>(expr)) {
    if (op->getOpcode() == UO_Deref) return placeBehind(evaluate(op->getSubExpr()), expr);
    if (op->isIncrementDecrementOp()) return placeOfCount(op);
    if (op->getOpcode() == UO_Real || op->getOpcode() == UO_Imag) return partOf(place(op->getSubExpr()), 1);
    return place(op->getSubExpr());
  }
  if (auto* op = dyn_cast<BinaryOperator>(expr)) {
    if (op->isAssignmentOp()) return placeOfAssignment(op);
    evaluate(op->getLHS());
    return place(op->getRHS());
  }
  if (auto* op = dyn_cast<ConditionalOperator>(expr)) {
    evaluate(op->getCond());
    Place yes, no;
    maybe([&] { yes = place(op->getTrueExpr()); });
    maybe([&] { no = place(op->getFalseExpr()); });
    if (yes.variable || no.variable || yes.elements.empty() != no.elements.empty() || !yes.rows.empty() ||
        !no.rows.empty())
      context_.refuse(expr->getBeginLoc(), say::RefersToSeveralVariables);
    yes.elements.insert(yes.elements.end(), no.elements.begin(), no.elements.end());
    return yes;
  }
  if (auto* member = dyn_cast<MemberExpr>(expr)) return placeOfMember(member);
  if (const Expr* translated = withPointers(context_.ast, expr); translated && translated->isGLValue())
    return place(translated);
  if (auto* call = dyn_cast<CallExpr>(expr)) return this->call(call).place;
  if (auto* full = dyn_cast<FullExpr>(expr)) return place(full->getSubExpr());
  if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr)) {
    Value value = evaluate(temporary->getSubExpr());
    if (value.members.empty()) return {};
    Place object;
    object.variable = this->temporary(expr);
    state_.values[object.variable] = std::move(value);
    return object;
  }
  if (auto* cast = dyn_cast<CastExpr>(expr)) {
    if (cast->getCastKind() == CK_DerivedToBase || cast->getCastKind() == CK_UncheckedDerivedToBase)
      return partOf(place(cast->getSubExpr()), 1);
    if (cast->getCastKind() != CK_NoOp && cast->getCastKind() != CK_ConstructorConversion)
      context_.refuse(expr->getBeginLoc(), say::Reinterprets);
    return place(cast->getSubExpr());
  }
  if (isa<StringLiteral>(expr)) return {};
  if (isa<CompoundLiteralExpr, InitListExpr>(expr)) {
    evaluateChildren(expr);
    return {};
  }
  if (isa<CXXConstructExpr>(expr)) {
    evaluate(expr);
    return {};
  }
  // The elements of an array, one after the other.
  if (isa<OpaqueValueExpr>(expr)) context_.refuse(expr->getBeginLoc(), say::CopiesArrayToBind);
  context_.refuse(expr->getBeginLoc(), say::ExpressionOfKind(expr->getStmtClassName()));
  return {};
}

static std::int64_t objectsIn(const ASTContext& ast, QualType type) {
  auto* array = ast.getAsConstantArrayType(type);
  return array ? static_cast<std::int64_t>(ast.getConstantArrayElementCount(array)) : 1;
}

// A part of a struct, of `count` objects: elements of arrays are still what they are.
Place BodyWalker::partOf(Place whole, std::int64_t count) {
  whole.variable = nullptr;
  for (Pointer& pointer : whole.elements) pointer.inside = true, pointer.before = 0, pointer.ahead = count;
  return whole;
}

Place BodyWalker::placeOfMember(const MemberExpr* member) {
  const Expr* base = member->getBase();
  if (!isa<FieldDecl>(member->getMemberDecl())) {
    if (!member->isArrow() && base->isGLValue()) place(base);
    Place result;
    result.variable = dyn_cast<VarDecl>(member->getMemberDecl());
    return result;
  }
  // An object of the iteration's own may refer to any variable or element. (Constant ones are read where it is made.)
  const QualType memberType = member->getMemberDecl()->getType();
  if (memberType->isReferenceType() && !memberType->getPointeeType().isConstQualified()) {
    const Place whole = member->isArrow() ? placeBehind(evaluate(base), member) : place(base);
    const VarDecl* object = ownObject(whole);
    return placeBehind(
        object ? ownValue({.local = object, .field = cast<FieldDecl>(member->getMemberDecl())}) : Value::unknown(),
        member);
  }
  if (!member->isArrow() && !base->isGLValue()) {
    evaluate(base);
    return {};
  }
  Place whole = member->isArrow() ? placeBehind(evaluate(base), member) : place(base);
  if (memberType->isPointerType())
    if (const VarDecl* object = ownObject(whole)) {
      Place part;
      part.elements.push_back({.local = object, .inside = true, .field = cast<FieldDecl>(member->getMemberDecl())});
      return part;
    }
  return partOf(std::move(whole), objectsIn(context_.ast, member->getType()));
}

Place BodyWalker::placeOfSubscript(const ArraySubscriptExpr* subscript) {
  Value base = evaluate(subscript->getBase());
  Value index = evaluate(subscript->getIdx());
  // An index of an array is within it, wherever it is; one of a pointer has to be shown.
  const bool ofArray = subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType();
  Value moved;
  for (const Pointer& pointer : base.pointers) {
    if (!pointer.inside || !ofArray) {
      const Value one = movePointer({{}, {pointer}}, index, subscript->getType(), false);
      moved.pointers.insert(moved.pointers.end(), one.pointers.begin(), one.pointers.end());
      continue;
    }
    moved.pointers.push_back(pointer);
    moved.pointers.back().before = 0, moved.pointers.back().ahead = objectsIn(context_.ast, subscript->getType());
  }
  return placeBehind(moved, subscript);
}

Place BodyWalker::placeOfReference(const DeclRefExpr* reference) {
  if (auto* binding = dyn_cast<BindingDecl>(reference->getDecl())) return place(binding->getBinding());
  auto* var = dyn_cast<VarDecl>(reference->getDecl());
  if (!var) return {};
  if (const VarDecl* copy = Objects::copyNamed(reference, bindings_)) return placeOfVariable(copy);
  if (const VarDecl* captured = context_.objects().variable(reference, bindings_)) return placeOfVariable(captured);
  if (auto bound = state_.references.find(var); bound != state_.references.end()) return bound->second;
  return placeOfVariable(var);
}

Place BodyWalker::placeOfVariable(const VarDecl* var) const {
  auto array = context_.arrayOf.find(var);
  Place result;
  if (array != context_.arrayOf.end() && var->getType().getNonReferenceType()->isArrayType())
    result.elements.push_back({nullptr, array->second, constantForm(0)});
  else
    result.variable = var;
  return result;
}

Place BodyWalker::placeBehind(const Value& pointer, const Expr* expr) {
  if (pointer.pointers.empty()) {
    context_.refuse(expr->getExprLoc(), say::PointerCannotBeFollowed(sourceText(context_.ast, expr)));
    return {};
  }
  Place result;
  result.elements = pointer.pointers;
  return result;
}

Place BodyWalker::placeOfAssignment(const BinaryOperator* op) {
  const Expr* left = op->getLHS();
  if (op->getOpcode() == BO_Assign) {
    Value value = evaluate(op->getRHS());
    Place target = place(left);
    store(target, value, left);
    return target;
  }
  Value right = evaluate(op->getRHS());
  Place target = place(left);
  Value old = load(target, left);
  const auto opcode = BinaryOperator::getOpForCompoundAssignment(op->getOpcode());
  Value value;
  if (left->getType()->isPointerType()) {
    value = movePointer(old, right, left->getType()->getPointeeType(), opcode == BO_Sub);
  } else if (auto* compound = dyn_cast<CompoundAssignOperator>(op); compound && left->getType()->isIntegerType()) {
    QualType computation = compound->getComputationResultType();
    value = arithmetic(opcode, convert(old, left->getType(), compound->getComputationLHSType()), right, computation);
    if (computation->isIntegerType()) value = convert(value, computation, left->getType());
  }
  store(target, value, left);
  return target;
}

Place BodyWalker::placeOfCount(const UnaryOperator* op) {
  const Expr* operand = op->getSubExpr();
  Place target = place(operand);
  Value old = load(target, operand);
  const Value one = Value::of(constantForm(1));
  Value value;
  if (operand->getType()->isPointerType())
    value = movePointer(old, one, operand->getType()->getPointeeType(), op->isDecrementOp());
  else
    value = arithmetic(op->isDecrementOp() ? BO_Sub : BO_Add, old, one, operand->getType());
  store(target, value, operand);
  return target;
}

// The object of the iteration's own that a place is the whole of.
const VarDecl* BodyWalker::ownObject(const Place& place) const {
  const VarDecl* var = place.variable;
  if (!var && place.elements.size() == 1 && !place.elements.front().inside) var = place.elements.front().local;
  const QualType type = var ? var->getType().getNonReferenceType() : QualType();
  const bool isOwn = var && Objects::isRecord(type) && !type->isUnionType();
  return isOwn && !context_.roles.count(var) ? var : nullptr;
}

// Where a value without a name is kept while something points to it.
const VarDecl* BodyWalker::temporary(const Expr* expr) {
  const VarDecl*& var = temporaries_[expr];
  if (!var)
    var = VarDecl::Create(context_.ast, const_cast<FunctionDecl*>(context_.facts.function), expr->getBeginLoc(),
                          expr->getBeginLoc(), nullptr, expr->getType(), nullptr, SC_Auto);
  madeIn_[var] = left_.size();
  return var;
}

}  // namespace muster::plugin
