// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Functions.h"
#include "analysis/loops/Iterators.h"
#include "analysis/walk/BodyWalker.h"
#include "analysis/walk/WalkBody.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// `a < b ? a : b` and the like.
static bool isExtremum(const ASTContext& ast, const AbstractConditionalOperator* expr, bool minimum) {
  auto* conditional = dyn_cast<ConditionalOperator>(expr);
  auto* test = conditional ? dyn_cast<BinaryOperator>(conditional->getCond()->IgnoreParenImpCasts()) : nullptr;
  if (!test || !test->isRelationalOp()) return false;
  const bool less = test->getOpcode() == BO_LT || test->getOpcode() == BO_LE;
  auto text = [&](const Expr* part) { return sourceText(ast, part->IgnoreParenImpCasts()); };
  const std::string left = text(test->getLHS()), right = text(test->getRHS());
  const std::string yes = text(conditional->getTrueExpr()), no = text(conditional->getFalseExpr());
  if (yes == left && no == right) return less == minimum;
  return yes == right && no == left && less != minimum;
}

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
  // What the launch site can compute in its own type needs no guard, and no bracket.
  const bool exact =
      value.forms.size() == 1 && value.forms.front().factors.empty() && value.forms.front().guards.empty();
  if (isInteger && !exact && frames_.empty() && isInvariant(context_, expr)) return Value::of(symbolOf(expr));
  return value;
}

Value BodyWalker::evaluateKind(const Expr* expr) {
  if (const Expr* translated = withPointers(context_.ast, expr))
    return translated->isGLValue() ? place(translated), Value() : evaluate(translated);
  if (auto* cast = dyn_cast<CastExpr>(expr); cast && !expr->isGLValue()) return evaluateCast(cast);
  if (expr->isGLValue()) {
    place(expr);
    return {};
  }
  if (auto* op = dyn_cast<UnaryOperator>(expr)) return evaluateUnary(op);
  if (auto* op = dyn_cast<BinaryOperator>(expr)) return evaluateBinary(op);
  if (auto* op = dyn_cast<AbstractConditionalOperator>(expr)) return evaluateConditional(op);
  if (auto* call = dyn_cast<CallExpr>(expr)) return this->call(call).value;
  if (auto* block = dyn_cast<StmtExpr>(expr)) return evaluateBlock(block);
  if (auto* full = dyn_cast<FullExpr>(expr)) return evaluate(full->getSubExpr());
  if (auto* argument = dyn_cast<CXXDefaultArgExpr>(expr)) return evaluate(argument->getExpr());
  if (auto* parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expr)) return evaluate(parameter->getReplacement());
  if (auto* opaque = dyn_cast<OpaqueValueExpr>(expr)) return evaluate(opaque->getSourceExpr());
  if (auto* list = dyn_cast<InitListExpr>(expr); list && list->getNumInits() == 1 && expr->getType()->isScalarType())
    return evaluate(list->getInit(0));
  if (auto* list = dyn_cast<InitListExpr>(expr); list && Objects::isRecord(expr->getType())) return membersOf(list);
  if (isa<CXXThisExpr>(expr)) return self_;
  if (auto* lambda = dyn_cast<LambdaExpr>(expr)) {
    context_.objects().addLambda(lambda, bindings_);
    for (const LambdaCapture& capture : lambda->captures()) {
      if (!capture.capturesVariable()) continue;
      const VarDecl* copy = context_.objects().copyOf(lambda->getLambdaClass(), capture.getCapturedVar());
      if (lambda->isInitCapture(&capture)) copy = cast<VarDecl>(capture.getCapturedVar());
      if (copy) walkDeclaration(copy);
    }
    return {};
  }
  if (auto* size = dyn_cast<UnaryExprOrTypeTraitExpr>(expr)) return walkSize(size);
  if (isa<IntegerLiteral, FloatingLiteral, ImaginaryLiteral, CharacterLiteral, CXXBoolLiteralExpr,
          CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr, CXXScalarValueInitExpr, DeclRefExpr,
          TypeTraitExpr>(expr))
    return {};
  if (auto* construct = dyn_cast<CXXConstructExpr>(expr); construct && !isPlainConstructor(construct->getConstructor()))
    return this->construct(construct);
  if (auto* copy = dyn_cast<CXXConstructExpr>(expr);
      copy && copy->getConstructor()->isCopyOrMoveConstructor() && copy->getNumArgs() == 1)
    return valueOf(copy->getArg(0));
  if (auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(expr)) return evaluate(rewritten->getSemanticForm());
  if (auto* standing = dyn_cast<CXXDefaultInitExpr>(expr)) return evaluate(standing->getExpr());
  if (isa<InitListExpr, CXXStdInitializerListExpr, CXXParenListInitExpr, CXXConstructExpr, ArrayInitLoopExpr,
          MemberExpr, CompoundLiteralExpr>(expr)) {
    evaluateChildren(expr);
    return {};
  }
  if (isa<AtomicExpr>(expr)) {
    if (walkFetch(expr)) return {};
    const std::string text = sourceText(context_.ast, expr);
    context_.refuse(expr->getBeginLoc(), say::CallsWhich(text.substr(0, text.find('(')), say::WhichOrdersThreads));
    return {};
  }
  context_.refuse(expr->getBeginLoc(), say::ExpressionOfKind(expr->getStmtClassName()));
  return {};
}

// Where the array's length is the program's, outlined code has a pointer to its start.
Value BodyWalker::walkSize(const UnaryExprOrTypeTraitExpr* size) {
  const QualType type = size->getTypeOfArgument();
  if (size->isArgumentType() || !type->isVariablyModifiedType()) return {};
  const Expr* array = withoutSubscripts(size->getArgumentExpr()->IgnoreParens());
  auto* reference = dyn_cast<DeclRefExpr>(array);
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!var || context_.objects().isOutside(var))
    context_.refuse(size->getBeginLoc(), say::SizeOfVariableLength(sourceText(context_.ast, size)));
  return {};
}

// The value of an expression, read from its place if it is an lvalue.
Value BodyWalker::valueOf(const Expr* expr) {
  if (!expr->isGLValue()) return evaluate(expr);
  // std::min and std::max return references; their value is what matters.
  if (auto* call = dyn_cast<CallExpr>(expr->IgnoreParens()))
    if (const FunctionDecl* function = call->getDirectCallee(); function && isMaths(function))
      return callMaths(call, function).value;
  // `x > y ? x : y` of two variables is an lvalue, although only its value is wanted: a copy's is a constant one.
  if (auto* conditional = dyn_cast<AbstractConditionalOperator>(expr->IgnoreParenNoopCasts(context_.ast)))
    return evaluateConditional(conditional);
  if (const auto use = rowPlace(expr, context_.objects(), bindings_); use && context_.arrayOf.count(use->table))
    return rowOf(*use, expr);
  if (const auto elements = context_.objects().elements(expr, bindings_); !elements.empty())
    return anyOf(elements, cast<ArraySubscriptExpr>(expr->IgnoreParens())->getIdx());
  const Value value = load(place(expr), expr);
  const bool known = !value.forms.empty() || !value.pointers.empty() || !value.members.empty();
  return known || expr->getType()->isBooleanType() ? value : ofType(expr->getType(), sourceText(context_.ast, expr));
}

// One of the pointers in an array of an object.
Value BodyWalker::anyOf(const std::vector<const VarDecl*>& elements, const Expr* index) {
  evaluate(index);
  Value value;
  for (const VarDecl* element : elements)
    value.pointers.push_back({nullptr, context_.arrayOf.at(element), constantForm(0)});
  return value;
}

Value BodyWalker::evaluateBlock(const StmtExpr* block) {
  Value value;
  for (const Stmt* part : block->getSubStmt()->body()) {
    auto* result = part == block->getSubStmt()->body_back() ? dyn_cast<Expr>(part) : nullptr;
    if (result)
      value = valueOf(result);
    else
      walk(part);
  }
  return value;
}

// Of an object that is initialised member by member.
Value BodyWalker::membersOf(const InitListExpr* list) {
  const RecordDecl* record = list->getType()->getAsRecordDecl();
  auto* inCxx = dyn_cast<CXXRecordDecl>(record);
  const bool isPlain = !record->isUnion() && (!inCxx || inCxx->getNumBases() == 0);
  Value object;
  auto field = record->field_begin();
  for (const Expr* init : list->inits()) {
    Value value = valueOf(init);
    while (field != record->field_end() && field->isUnnamedBitField()) ++field;
    if (!isPlain || field == record->field_end()) continue;
    if (field->getType()->isPointerType()) object.members[*field] = std::move(value);
    ++field;
  }
  return object;
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
      return addressOf(place(operand));
    }
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase: {
      if (!cast->getType()->isPointerType()) {
        evaluate(operand);
        return {};
      }
      Place whole;
      whole.elements = evaluate(operand).pointers;
      return {{}, partOf(std::move(whole), 1).elements};
    }
    case CK_NoOp:
    case CK_ConstructorConversion:
      return evaluate(operand);
    case CK_LValueToRValueBitCast:
      if (operand->getType()->isPointerType()) return addressAsNumber(operand);
      valueOf(operand);
      return {};
    case CK_PointerToIntegral:
      return addressAsNumber(operand);
    case CK_IntegralCast: {
      Value value = evaluate(operand);
      if (value.forms.empty() && operand->getType()->isBooleanType())
        value = ofType(operand->getType(), sourceText(context_.ast, operand));
      return convert(value, operand->getType(), cast->getType());
    }
    case CK_BitCast: {
      Value value = evaluate(operand);
      // What void pointers are for: memcpy and the like.
      if (cast->getType()->isVoidPointerType()) return value;
      const bool sameElements =
          context_.ast.hasSameUnqualifiedType(context_.ast.getBaseElementType(operand->getType()->getPointeeType()),
                                              context_.ast.getBaseElementType(cast->getType()->getPointeeType()));
      if (!sameElements) context_.refuse(cast->getBeginLoc(), say::CastsPointer);
      return value;
    }
    default:
      evaluate(operand);
      return {};
  }
}

Value BodyWalker::convert(Value value, QualType from, QualType to) {
  if (to->isBooleanType()) return {};
  const unsigned fromBits = context_.ast.getTypeSize(from), toBits = context_.ast.getTypeSize(to);
  const bool fromUnsigned = from->isUnsignedIntegerOrEnumerationType();
  const bool toUnsigned = to->isUnsignedIntegerOrEnumerationType();
  if (fromBits > 64) return {};
  if (toBits > fromBits && (!toUnsigned || fromUnsigned)) return value;
  if (toBits == fromBits && toUnsigned == fromUnsigned) return value;
  // Bounds that come with several forms stay right if none of the forms changes its value.
  AffineExpr checked;
  if (value.forms.empty()) value.atLeast.clear(), value.atMost.clear();
  for (AffineExpr form : value.forms) {
    if (toBits < 64 && !keepsValue(form, to)) return ofType(to, "any " + to.getUnqualifiedType().getAsString());
    if (toBits == 64 && !provablyAtLeast(form, constantForm(0))) guard(form, 0, INT64_MAX);
    checked.guards.insert(form.guards.begin(), form.guards.end());
  }
  for (auto* bounds : {&value.atLeast, &value.atMost})
    for (AffineExpr& bound : *bounds) bound.guards.insert(checked.guards.begin(), checked.guards.end());
  // In 64 bits a form is right modulo 2^64.
  if (toBits < 64)
    for (AffineExpr& form : value.forms) guard(form, to);
  return value;
}

Value BodyWalker::addressOf(const Place& target) {
  if (target.variable) return {{}, {Pointer{target.variable, 0, std::nullopt}}};
  if (target.elements.empty()) return {{}, {Pointer{nullptr, localArray, std::nullopt}}};
  return {{}, target.elements};
}

Value BodyWalker::evaluateUnary(const UnaryOperator* op) {
  const Expr* operand = op->getSubExpr();
  switch (op->getOpcode()) {
    case UO_AddrOf: {
      const Place target = place(operand);
      return isElement(target, operand) ? addressOf(target) : Value();
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
    case UO_Not: {  // -x - 1
      Value value = evaluate(operand);
      if (wraps(op->getType())) return {};
      return arithmetic(BO_Sub, Value::of(constantForm(-1)), value, op->getType());
    }
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
  if (const auto pointers = comparedPointers(op)) return comparison(op, *pointers);
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
  for (const bool minimum : {true, false})
    if (op->getType()->isIntegerType() && isExtremum(context_.ast, op, minimum))
      return extremum(yes, no, minimum, op->getType());
  // Where it is null, nothing is reached through it.
  const auto isNull = [&](const Expr* part) {
    return op->getType()->isPointerType() &&
           part->IgnoreParenImpCasts()->isNullPointerConstant(context_.ast, Expr::NPC_ValueDependentIsNotNull);
  };
  return isNull(op->getTrueExpr()) ? no : isNull(op->getFalseExpr()) ? yes : unite(yes, no);
}

Value BodyWalker::arithmetic(BinaryOperatorKind opcode, const Value& left, const Value& right, QualType type) {
  if (!type->isIntegerType() || context_.ast.getTypeSize(type) > 64) return {};
  switch (opcode) {
    case BO_Add:
    case BO_Sub:
    case BO_Mul:
      return linear(opcode, left, right, type);
    case BO_Rem:
      return remainder(left, right, type);
    case BO_Div:
      return quotient(left, right, Rounding::TowardsZero, type);
    case BO_And:
    case BO_Or:
    case BO_Xor:
      return bitwise(opcode, left, right, type);
    case BO_Shl:
    case BO_Shr:
      return shifted(opcode == BO_Shr, left, right, type);
    default:
      return {};
  }
}

// Bounds of from + by, or (back) of by - from.
void BodyWalker::moveBounds(Value& value, const Value& from, const AffineExpr& by, bool back) {
  auto move = [&](const std::vector<AffineExpr>& bounds, std::vector<AffineExpr>& into) {
    for (const AffineExpr& bound : bounds)
      if (auto moved = back ? subtract(by, bound) : add(bound, by)) into.push_back(*moved);
  };
  move(back ? from.highBounds() : from.lowBounds(), value.atLeast);
  move(back ? from.lowBounds() : from.highBounds(), value.atMost);
}

Value BodyWalker::linear(BinaryOperatorKind opcode, const Value& left, const Value& right, QualType type) {
  if (left.forms.size() * right.forms.size() > mostAlternatives) return {};
  const bool wraps = this->wraps(type);
  const unsigned bits = context_.ast.getTypeSize(type);
  Value result;
  for (const AffineExpr& first : left.forms) {
    for (const AffineExpr& second : right.forms) {
      auto form = opcode == BO_Add   ? add(first, second)
                  : opcode == BO_Sub ? subtract(first, second)
                                     : multiply(first, second);
      if (!form) return {};
      if (wraps && bits < 64 && !keepsValue(*form, type)) return {};
      result = result.forms.empty() ? Value::of(*form) : unite(result, Value::of(*form));
      if (result.forms.empty()) return {};
    }
  }
  if (result.forms.size() == 1 || wraps || opcode == BO_Mul) return result;
  result.atLeast.clear(), result.atMost.clear();
  if (right.forms.size() == 1) {
    auto by = opcode == BO_Sub ? multiply(right.forms.front(), constantForm(-1)) : std::optional(right.forms.front());
    if (by) moveBounds(result, left, *by, false);
  } else if (left.forms.size() == 1) {
    moveBounds(result, right, left.forms.front(), opcode == BO_Sub);
  }
  return settled(result, "sum");
}

}  // namespace muster::plugin
