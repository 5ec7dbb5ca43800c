// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/BodyWalker.h"

namespace muster::plugin {

using namespace clang;

Value BodyWalker::evaluate(const Expr* expr) {
  if (!expr || context_.refused()) return {};
  expr = expr->IgnoreParens();
  QualType type = expr->getType();
  const bool isInteger = type->isIntegralOrEnumerationType() && !type->isBooleanType() && !expr->isGLValue();
  if (isInteger) {
    // Unsigned constants beyond 63 bits are right modulo 2^64.
    Expr::EvalResult constant;
    if (expr->EvaluateAsInt(constant, context_.ast) && constant.Val.getInt().getBitWidth() <= 64) {
      const llvm::APSInt& number = constant.Val.getInt();
      return Value::of(
          constantForm(number.isSigned() ? number.getSExtValue() : static_cast<std::int64_t>(number.getZExtValue())));
    }
  }
  Value value = evaluateKind(expr);
  // What the launch site can compute in its own type needs no guard.
  const bool exact = !value.forms.empty() && std::all_of(value.forms.begin(), value.forms.end(),
                                                         [](const AffineExpr& form) { return form.guards.empty(); });
  if (isInteger && !exact && frames_.empty() && isInvariant(context_, expr)) return Value::of(symbolOf(expr));
  return value;
}

Value BodyWalker::evaluateKind(const Expr* expr) {
  if (auto* cast = dyn_cast<CastExpr>(expr); cast && !expr->isGLValue()) return evaluateCast(cast);
  if (expr->isGLValue()) {
    place(expr);
    return {};
  }
  if (auto* op = dyn_cast<UnaryOperator>(expr)) return evaluateUnary(op);
  if (auto* op = dyn_cast<BinaryOperator>(expr)) return evaluateBinary(op);
  if (auto* op = dyn_cast<AbstractConditionalOperator>(expr)) return evaluateConditional(op);
  if (auto* call = dyn_cast<CallExpr>(expr)) return this->call(call).value;
  if (auto* full = dyn_cast<FullExpr>(expr)) return evaluate(full->getSubExpr());
  if (auto* argument = dyn_cast<CXXDefaultArgExpr>(expr)) return evaluate(argument->getExpr());
  if (auto* parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expr)) return evaluate(parameter->getReplacement());
  if (auto* opaque = dyn_cast<OpaqueValueExpr>(expr)) return evaluate(opaque->getSourceExpr());
  if (auto* list = dyn_cast<InitListExpr>(expr); list && list->getNumInits() == 1 && expr->getType()->isScalarType())
    return evaluate(list->getInit(0));
  if (isa<UnaryExprOrTypeTraitExpr, IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr,
          CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr, CXXScalarValueInitExpr, DeclRefExpr,
          TypeTraitExpr>(expr))
    return {};
  if (auto* construct = dyn_cast<CXXConstructExpr>(expr); construct && !construct->getConstructor()->isTrivial()) {
    context_.refuse(expr->getBeginLoc(), "constructs an object of type '" + expr->getType().getAsString() + "'");
    return {};
  }
  if (isa<InitListExpr, CXXConstructExpr, CXXDefaultInitExpr, ArrayInitLoopExpr, MemberExpr>(expr)) {
    evaluateChildren(expr);
    return {};
  }
  context_.refuse(expr->getBeginLoc(), std::string("contains an expression of kind ") + expr->getStmtClassName());
  return {};
}

// The value of an expression, read from its place if it is an lvalue.
Value BodyWalker::valueOf(const Expr* expr) {
  if (!expr->isGLValue()) return evaluate(expr);
  // std::min and std::max return references; their value is what matters.
  if (auto* call = dyn_cast<CallExpr>(expr->IgnoreParens()))
    if (const FunctionDecl* function = call->getDirectCallee(); function && isMaths(function))
      return callMaths(call, function).value;
  // `x > y ? x : y` of two variables is an lvalue, although only its value is wanted.
  if (auto* conditional = dyn_cast<AbstractConditionalOperator>(expr->IgnoreParens()))
    return evaluateConditional(conditional);
  return load(place(expr), expr);
}

void BodyWalker::evaluateChildren(const Expr* expr) {
  for (const Stmt* child : expr->children())
    if (auto* part = dyn_cast_or_null<Expr>(child)) valueOf(part);
}

Value BodyWalker::evaluateCast(const CastExpr* cast) {
  const Expr* operand = cast->getSubExpr();
  switch (cast->getCastKind()) {
    case CK_LValueToRValue:
      return valueOf(operand);
    case CK_ArrayToPointerDecay: {
      Place array = place(operand);
      if (array.variable) return {{}, {Pointer{array.variable, 0, std::nullopt}}};
      if (array.elements.empty()) return {{}, {Pointer{nullptr, localArray, std::nullopt}}};
      return {{}, array.elements};
    }
    case CK_NoOp:
      return evaluate(operand);
    case CK_IntegralCast:
      return convert(evaluate(operand), operand->getType(), cast->getType());
    case CK_BitCast: {
      Value value = evaluate(operand);
      const bool sameElements =
          context_.ast.hasSameUnqualifiedType(context_.ast.getBaseElementType(operand->getType()->getPointeeType()),
                                              context_.ast.getBaseElementType(cast->getType()->getPointeeType()));
      if (!sameElements) context_.refuse(cast->getBeginLoc(), "casts a pointer to another element type");
      return value;
    }
    default:
      evaluate(operand);
      return {};
  }
}

Value BodyWalker::convert(Value value, QualType from, QualType to) {
  if (value.forms.empty() || to->isBooleanType()) return {};
  const unsigned fromBits = context_.ast.getTypeSize(from), toBits = context_.ast.getTypeSize(to);
  const bool fromUnsigned = from->isUnsignedIntegerOrEnumerationType();
  const bool toUnsigned = to->isUnsignedIntegerOrEnumerationType();
  if (toBits >= 64) return fromBits <= 64 ? value : Value{};
  if (toBits > fromBits && (!toUnsigned || fromUnsigned)) return value;
  if (toBits == fromBits && toUnsigned == fromUnsigned) return value;
  for (AffineExpr& form : value.forms) guard(form, to);
  return value;
}

Value BodyWalker::evaluateUnary(const UnaryOperator* op) {
  const Expr* operand = op->getSubExpr();
  switch (op->getOpcode()) {
    case UO_AddrOf: {
      Place target = place(operand);
      if (target.variable) return {{}, {Pointer{target.variable, 0, std::nullopt}}};
      if (target.elements.empty()) return {{}, {Pointer{nullptr, localArray, std::nullopt}}};
      return {{}, target.elements};
    }
    case UO_PostInc:
    case UO_PostDec: {
      Place target = place(operand);
      Value old = load(target, operand);
      placeOfCount(op);
      return old;
    }
    case UO_Plus:
    case UO_Extension:
      return evaluate(operand);
    case UO_Minus:
      return arithmetic(BO_Sub, Value::of(constantForm(0)), evaluate(operand), op->getType());
    default:
      evaluate(operand);
      return {};
  }
}

Value BodyWalker::evaluateBinary(const BinaryOperator* op) {
  if (op->isLogicalOp()) {
    evaluate(op->getLHS());
    maybe([&] { evaluate(op->getRHS()); });
    return {};
  }
  if (op->isCommaOp()) {
    evaluate(op->getLHS());
    return evaluate(op->getRHS());
  }
  if (op->isAssignmentOp()) {  // C, where it is no lvalue
    placeOfAssignment(op);
    return {};
  }
  Value left = evaluate(op->getLHS());
  Value right = evaluate(op->getRHS());
  if (op->getLHS()->getType()->isPointerType() && op->isAdditiveOp() && !op->getRHS()->getType()->isPointerType())
    return movePointer(left, right, op->getLHS()->getType()->getPointeeType(), op->getOpcode() == BO_Sub);
  if (op->getRHS()->getType()->isPointerType() && op->getOpcode() == BO_Add)
    return movePointer(right, left, op->getRHS()->getType()->getPointeeType(), false);
  return arithmetic(op->getOpcode(), left, right, op->getType());
}

Value BodyWalker::evaluateConditional(const AbstractConditionalOperator* op) {
  evaluate(op->getCond());
  State before = state_;
  ++conditional_;
  Value yes = valueOf(op->getTrueExpr());
  State afterTrue = std::move(state_);
  state_ = std::move(before);
  Value no = valueOf(op->getFalseExpr());
  --conditional_;
  join(afterTrue);
  return unite(yes, no);
}

Value BodyWalker::arithmetic(BinaryOperatorKind opcode, const Value& left, const Value& right, QualType type) {
  if (!type->isIntegerType() || left.forms.size() * right.forms.size() > mostAlternatives) return {};
  if (opcode != BO_Add && opcode != BO_Sub && opcode != BO_Mul) return {};
  const bool wraps = type->isUnsignedIntegerType() ||
                     context_.ast.getLangOpts().getSignedOverflowBehavior() != LangOptions::SOB_Undefined;
  const unsigned bits = context_.ast.getTypeSize(type);
  Value result;
  for (const AffineExpr& first : left.forms) {
    for (const AffineExpr& second : right.forms) {
      auto form = opcode == BO_Add   ? add(first, second)
                  : opcode == BO_Sub ? subtract(first, second)
                                     : multiply(first, second);
      if (!form || bits > 64) return {};
      if (wraps && bits < 64) guard(*form, type);
      result = result.forms.empty() ? Value::of(*form) : unite(result, Value::of(*form));
      if (result.forms.empty()) return {};
    }
  }
  return result;
}

static std::int64_t elementsIn(const ASTContext& ast, QualType type) {
  std::int64_t count = 1;
  while (auto* array = ast.getAsConstantArrayType(type)) {
    count *= static_cast<std::int64_t>(array->getZExtSize());
    type = array->getElementType();
  }
  return count;
}

Value BodyWalker::movePointer(const Value& pointer, const Value& index, QualType pointee, bool back) {
  Value result;
  const AffineExpr scale = constantForm((back ? -1 : 1) * elementsIn(context_.ast, pointee));
  for (const Pointer& base : pointer.pointers) {
    Pointer moved = base;
    moved.offset = std::nullopt;
    if (index.forms.empty() || !base.offset) {
      result.pointers.push_back(moved);
      continue;
    }
    for (const AffineExpr& form : index.forms) {
      auto distance = multiply(form, scale);
      moved.offset = distance ? add(*base.offset, *distance) : std::nullopt;
      result.pointers.push_back(moved);
    }
  }
  if (result.pointers.size() > mostAlternatives) {
    for (Pointer& moved : result.pointers) moved.offset = std::nullopt;
    result = unite({{}, {result.pointers.front()}}, result);
  }
  return result;
}

}  // namespace muster::plugin
