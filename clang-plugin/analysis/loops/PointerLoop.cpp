// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/PointerLoop.h"

#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/Iterators.h"
#include "analysis/loops/MadeExpressions.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/OpenMPKinds.h"
#include "source/Compat.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

static const Expr* withoutQualification(const Expr* expr) {
  for (;;) {
    expr = expr->IgnoreParens();
    auto* cast = dyn_cast<ImplicitCastExpr>(expr);
    if (!cast || cast->getCastKind() != CK_NoOp) return expr;
    expr = cast->getSubExpr();
  }
}

// `a + i`, `&a[i]`, `a + n - i`: a and its index; of other pointers that is nullptr.
static std::pair<const Expr*, const Expr*> parts(const ASTContext& ast, const Expr* pointer) {
  pointer = withoutQualification(pointer);
  if (auto* sum = dyn_cast<BinaryOperator>(pointer); sum && sum->isAdditiveOp()) {
    const bool swapped = !sum->getLHS()->getType()->isPointerType();
    const Expr *start = swapped ? sum->getRHS() : sum->getLHS(), *index = swapped ? sum->getLHS() : sum->getRHS();
    const auto [base, first] = parts(ast, start);
    index = index->IgnoreImpCasts();
    if (!first && sum->getOpcode() == BO_Add) return {base, index};
    const Expr* from = first ? first : madeNumber(ast, 0, compat::pointerDifference(ast));
    return {base, madeSum(ast, from, index, sum->getOpcode())};
  }
  if (auto* address = dyn_cast<UnaryOperator>(pointer); address && address->getOpcode() == UO_AddrOf)
    if (auto* element = dyn_cast<ArraySubscriptExpr>(address->getSubExpr()->IgnoreParens()))
      return {withoutQualification(element->getBase()), element->getIdx()->IgnoreImpCasts()};
  return {pointer, nullptr};
}

static bool areSame(const ASTContext& ast, const Expr* left, const Expr* right) {
  llvm::FoldingSetNodeID leftId, rightId;
  left->Profile(leftId, ast, true);
  right->Profile(rightId, ast, true);
  return leftId == rightId;
}

// What a method without arguments returns, if it does nothing else: `T *begin() const { return start_; }`.
static const Expr* returnedBy(const CXXMemberCallExpr* call) {
  const FunctionDecl* definition = call->getNumArgs() == 0 ? definitionOf(call->getMethodDecl()) : nullptr;
  return definition && !call->getMethodDecl()->isVirtual() ? onlyExpression(definition) : nullptr;
}

// Names and sums of them, which mean the same in every iteration.
static bool isPlain(const Expr* expr) {
  expr = expr->IgnoreParenImpCasts();
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) return isa<VarDecl>(reference->getDecl());
  if (isa<IntegerLiteral, CXXThisExpr>(expr)) return true;
  if (auto* op = dyn_cast<BinaryOperator>(expr))
    return (op->isAdditiveOp() || op->getOpcode() == BO_Mul) && isPlain(op->getLHS()) && isPlain(op->getRHS());
  if (auto* member = dyn_cast<MemberExpr>(expr))
    return isa<FieldDecl>(member->getMemberDecl()) && isPlain(member->getBase());
  auto* call = dyn_cast<CXXMemberCallExpr>(expr);
  if (!call || !call->getMethodDecl() || !isPlain(call->getImplicitObjectArgument())) return false;
  if (!vectorElement(call->getImplicitObjectArgument()->getType()).isNull())
    return call->getMethodDecl()->getNameAsString() == "data";
  const Expr* returned = returnedBy(call);
  return returned && isPlain(returned);
}

static const VarDecl* makeCounter(ASTContext& ast, const VarDecl* pointer) {
  auto* scope = const_cast<DeclContext*>(pointer->getDeclContext());
  return VarDecl::Create(ast, scope, pointer->getLocation(), pointer->getLocation(),
                         &ast.Idents.get("muster_index_" + pointer->getNameAsString()), compat::pointerDifference(ast),
                         nullptr, SC_None);
}

// A pointer of the launch site's own with that value.
static const VarDecl* makeStart(ASTContext& ast, const FunctionDecl* function, const VarDecl* pointer,
                                const Expr* value) {
  const SourceLocation loc = function->getBody()->getBeginLoc();
  auto* var = VarDecl::Create(ast, const_cast<FunctionDecl*>(function), loc, loc,
                              &ast.Idents.get("muster_start_" + pointer->getNameAsString()),
                              value->getType().getUnqualifiedType(), nullptr, SC_None);
  var->setInit(const_cast<Expr*>(value));
  return var;
}

// base + counter
static const Expr* makeValue(ASTContext& ast, const Expr* base, const VarDecl* counter) {
  return BinaryOperator::Create(ast, const_cast<Expr*>(base), madeValue(ast, counter), BO_Add, base->getType(),
                                VK_PRValue, OK_Ordinary, base->getBeginLoc(), FPOptionsOverride());
}

static const Expr* decayed(const ASTContext& ast, const Expr* array) {
  return ImplicitCastExpr::Create(ast, ast.getArrayDecayedType(array->getType()), CK_ArrayToPointerDecay,
                                  const_cast<Expr*>(array), nullptr, VK_PRValue, FPOptionsOverride());
}

// Whether the loop counts with an iterator of a vector; if so, head and bound have pointers in its place. False:
// refused.
static bool replaceIterators(LoopContext& context, DimFact& dim) {
  const SourceLocation loc = dim.loop->getBeginLoc();
  const Expr* first = pointerOf(context.ast, dim.lower);
  const Expr* limit = pointerOf(context.ast, dim.bound);
  if (iteratorPointee(dim.var->getType()).isNull() || !first || !limit)
    return context.refuse(loc, say::IteratorOfNoVector);
  auto* start = dyn_cast<CXXMemberCallExpr>(parts(context.ast, first).first);
  if (!start) return context.refuse(loc, say::IteratorNotFromBeginning);
  if (!dim.declaredInLoop) return context.refuse(loc, say::IteratorDeclaredOutside);
  dim.lower = first;
  dim.limit = dim.bound;
  dim.bound = limit;
  return true;
}

std::optional<DimFact> pointerLoop(LoopContext& context, const ForStmt* loop) {
  ASTContext& ast = context.ast;
  auto dim = countedLoop(loop);
  if (!dim) return std::nullopt;
  if (dim->var->getType()->isRecordType()) {
    if (!replaceIterators(context, *dim)) return std::nullopt;
  } else if (!dim->var->getType()->isPointerType() || !dim->bound->getType()->isPointerType()) {
    return std::nullopt;
  } else {
    dim->limit = dim->bound;
  }
  const QualType pointee = withoutIterator(ast, dim->var->getType())->getPointeeType();
  auto [base, first] = parts(ast, dim->lower);
  if (base->getType()->isArrayType())
    base = decayed(ast, base);
  else if (base->isGLValue())
    base = ImplicitCastExpr::Create(ast, base->getType().getUnqualifiedType(), CK_LValueToRValue,
                                    const_cast<Expr*>(base), nullptr, VK_PRValue, FPOptionsOverride());
  auto refuse = [&](const char* what) {
    context.refuse(loop->getBeginLoc(), what);
    return std::nullopt;
  };
  if (!isPlain(base) && base->getType()->isPointerType() && isPure(ast, base)) {
    dim->start = makeStart(ast, context.facts.function, dim->var, base);
    base = madeValue(ast, dim->start);
  } else if (!isPlain(base)) {
    return refuse(say::PointerFromNoName);
  }
  if (!base->getType()->isPointerType() || !ast.hasSameUnqualifiedType(base->getType()->getPointeeType(), pointee) ||
      pointee->isVariablyModifiedType())
    return refuse(say::PointerOfAnotherType);
  if (!dim->declaredInLoop && isOpenMPSimdDirective(context.facts.directive->getDirectiveKind()))
    return refuse(say::PointerKeepsValue);
  dim->pointer = dim->var;
  dim->var = makeCounter(ast, dim->pointer);
  dim->base = base;
  dim->value = makeValue(ast, base, dim->var);
  dim->lower = first ? first : madeNumber(ast, 0, dim->var->getType());
  const auto [end, last] = parts(ast, dim->bound);
  if (last && areSame(ast, end->IgnoreParenImpCasts(), base->IgnoreParenImpCasts()))
    dim->bound = last;
  else
    dim->bound =
        BinaryOperator::Create(ast, const_cast<Expr*>(dim->bound), const_cast<Expr*>(base), BO_Sub, dim->var->getType(),
                               VK_PRValue, OK_Ordinary, SourceLocation(), FPOptionsOverride());
  return dim;
}

std::optional<DimFact> rangeLoop(LoopContext& context, const Stmt* statement) {
  ASTContext& ast = context.ast;
  auto* loop = dyn_cast_or_null<CXXForRangeStmt>(onlyStatement(statement));
  if (!loop || loop->getInit()) return std::nullopt;
  auto refuse = [&](const char* what) {
    context.refuse(loop->getBeginLoc(), what);
    return std::nullopt;
  };
  DimFact dim;
  dim.range = loop;
  dim.pointer = loop->getLoopVariable();
  dim.var = makeCounter(ast, dim.pointer);
  dim.lower = madeNumber(ast, 0, dim.var->getType());
  dim.relation = BO_LT;
  const Expr* range = loop->getRangeInit()->IgnoreParens();
  const auto* array = ast.getAsConstantArrayType(range->getType());
  if (array) {
    dim.base = decayed(ast, range);
    dim.bound = madeNumber(ast, array->getZExtSize(), dim.var->getType());
  } else if (!vectorElement(range->getType()).isNull() && range->isGLValue()) {
    dim.base = callMember(ast, range, "data");
    dim.bound = callMember(ast, range, "size");
  }
  if (!dim.base || !dim.base->getType()->isPointerType() || !dim.bound || !isPlain(range))
    return refuse(say::RangeWithoutName);
  QualType element = dim.base->getType()->getPointeeType();
  const QualType own = dim.pointer->getType();
  if (!ast.hasSameUnqualifiedType(own.getNonReferenceType(), element) || isa<DecompositionDecl>(dim.pointer) ||
      (!own->isReferenceType() && !isScalarType(own)))
    return refuse(say::ElementsNoReferences);
  Expr* value = UnaryOperator::Create(ast, const_cast<Expr*>(makeValue(ast, dim.base, dim.var)), UO_Deref, element,
                                      VK_LValue, OK_Ordinary, loop->getBeginLoc(), false, FPOptionsOverride());
  if (!own->isReferenceType())
    value = ImplicitCastExpr::Create(ast, element.getUnqualifiedType(), CK_LValueToRValue, value, nullptr, VK_PRValue,
                                     FPOptionsOverride());
  dim.value = value;
  return dim;
}

bool checkPointerLoops(LoopContext& context) {
  LoopFacts& facts = context.facts;
  std::set<const VarDecl*> own = context.changed;
  for (const auto& [var, role] : context.roles)
    if (role != Role::Array && role != Role::Scalar && role != Role::Constant) own.insert(var);
  for (const DimFact& dim : facts.dims) {
    if (!dim.pointer) continue;
    if (mentions(dim.origin(), own)) return context.refuse(dim.statement()->getBeginLoc(), say::PointerFromOwnVariable);
    // `private` says what it is anyway.
    context.roles[dim.pointer] = Role::Loop;
    llvm::erase(facts.privates, dim.pointer);
  }
  return true;
}

LoopStart startOf(const DimFact& dim) {
  if (dim.start) return {nullptr, dim.start->getNameAsString()};
  const QualType pointee = dim.range ? QualType() : iteratorPointee(dim.pointer->getType());
  if (pointee.isNull()) return {dim.base, ""};
  return {cast<CXXMemberCallExpr>(dim.base)->getImplicitObjectArgument(),
          pointee.isConstQualified() ? ".cbegin()" : ".begin()"};
}

std::string boundText(const ASTContext& context, const DimFact& dim) {
  if (!dim.pointer) return sourceText(context, dim.bound);
  const std::string type = typeText(context, dim.var->getType());
  // A difference of pointers was made here: it has no text of its own.
  auto* difference = dyn_cast<BinaryOperator>(dim.bound);
  if (!difference || difference->getOperatorLoc().isValid())
    return castText(context, type, sourceText(context, dim.bound));
  const LoopStart start = startOf(dim);
  return castText(context, type,
                  "(" + sourceText(context, dim.limit) + ") - (" + (start.expr ? sourceText(context, start.expr) : "") +
                      start.suffix + ")");
}

}  // namespace muster::plugin
