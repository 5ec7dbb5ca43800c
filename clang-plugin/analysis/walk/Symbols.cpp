// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch-invariant integers: what may be evaluated once, at the launch site, in place of in every iteration.
#include "analysis/code/Functions.h"
#include "analysis/walk/BodyWalker.h"
#include "analysis/walk/WalkBody.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/StringSet.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// Whether the compiler knows what the variable always is. One that only the loop's head names has no role.
static bool isConstant(const LoopContext& context, const VarDecl* var) {
  if (const auto role = context.roles.find(var); role != context.roles.end()) return role->second == Role::Constant;
  const QualType type = var->getType();
  const Expr* first = var->getAnyInitializer();
  return type->isIntegralOrEnumerationType() && type.isConstQualified() && !type.isVolatileQualified() && first &&
         !first->isValueDependent() && !var->hasAttr<WeakAttr>() && var->evaluateValue();
}

static bool isInvariant(const LoopContext& context, const VarDecl* var) {
  auto role = context.roles.find(var);
  if (context.declaredInside.count(var)) return false;
  if (role == context.roles.end()) return isConstant(context, var);
  if (role->second == Role::Firstprivate) return !context.changed.count(var);
  return role->second == Role::Scalar || role->second == Role::Constant;
}

// Nothing that could trap where the plain program would not have computed it: no division but by constants, no loads.
bool isInvariant(const LoopContext& context, const Expr* expr) {
  expr = expr->IgnoreParens();
  if (!expr->getType()->isArithmeticType() && !expr->getType()->isEnumeralType()) return false;
  if (isa<MemberExpr>(expr) && expr->isGLValue()) {
    const VarDecl* member = context.objects().member(expr, {});
    return member && isInvariant(context, member);
  }
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
    if (isa<EnumConstantDecl>(reference->getDecl())) return true;
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    return var && isInvariant(context, var);
  }
  if (isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, CXXBoolLiteralExpr>(expr)) return true;
  if (auto* parameter = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
    return isInvariant(context, parameter->getReplacement());
  if (auto* size = dyn_cast<UnaryExprOrTypeTraitExpr>(expr)) return size->isArgumentType();
  if (auto* cast = dyn_cast<CastExpr>(expr)) return isInvariant(context, cast->getSubExpr());
  if (const auto use = rowOfSize(expr, context.objects(), {}))
    return context.arrayOf.count(use->table) &&
           llvm::none_of(use->indexes, [&](const Expr* index) { return index && index->HasSideEffects(context.ast); });
  if (auto* call = dyn_cast<CXXMemberCallExpr>(expr)) {
    const Expr* object = call->getImplicitObjectArgument()->IgnoreParenImpCasts();
    auto* reference = dyn_cast<DeclRefExpr>(object);
    auto* vector = reference ? dyn_cast<VarDecl>(reference->getDecl()) : context.objects().member(object, {});
    return vector && context.arrayOf.count(vector) && call->getMethodDecl()->getNameAsString() == "size";
  }
  if (auto* call = dyn_cast<CallExpr>(expr)) {
    static const llvm::StringSet<> known = {"min", "max", "abs", "labs", "llabs"};
    const FunctionDecl* function = call->getDirectCallee();
    if (!expr->getType()->isIntegerType() || !function || !isMaths(function) || !known.contains(function->getName()))
      return false;
    return std::all_of(call->arg_begin(), call->arg_end(), [&](const Expr* argument) {
      if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(argument)) argument = temporary->getSubExpr();
      return isInvariant(context, argument);
    });
  }
  if (auto* op = dyn_cast<UnaryOperator>(expr))
    return !op->isIncrementDecrementOp() && op->getOpcode() != UO_Deref && op->getOpcode() != UO_AddrOf &&
           isInvariant(context, op->getSubExpr());
  if (auto* op = dyn_cast<ConditionalOperator>(expr))
    return isInvariant(context, op->getCond()) && isInvariant(context, op->getTrueExpr()) &&
           isInvariant(context, op->getFalseExpr());
  auto* op = dyn_cast<BinaryOperator>(expr);
  if (!op || op->isAssignmentOp() || op->isCommaOp()) return false;
  if (op->getOpcode() == BO_Div || op->getOpcode() == BO_Rem) {
    Expr::EvalResult divisor;
    if (!op->getRHS()->EvaluateAsInt(divisor, context.ast) || divisor.Val.getInt() == 0) return false;
  }
  return isInvariant(context, op->getLHS()) && isInvariant(context, op->getRHS());
}

AffineExpr BodyWalker::symbol(const Expr* expr, std::string text, std::string name) {
  auto& symbols = context_.facts.symbols;
  for (unsigned i = 0; i < symbols.size(); ++i)
    if (symbols[i].text == text) return symbolForm(i);
  symbols.push_back({expr, std::move(text), std::move(name)});
  return symbolForm(symbols.size() - 1);
}

AffineExpr BodyWalker::symbolOf(const Expr* expr) {
  const std::string name = sourceText(context_.ast, expr);
  std::string text = invariantText(context_.ast, context_.objects(), expr);
  // The text of what is converted, which may be another number.
  const auto* cast = dyn_cast<ImplicitCastExpr>(expr->IgnoreParens());
  if (cast && cast->getCastKind() == CK_IntegralCast &&
      context_.ast.getTypeSize(cast->getType()) < context_.ast.getTypeSize(cast->getSubExpr()->getType()))
    text = castText(context_.ast, typeText(context_.ast, cast->getType().getUnqualifiedType()), text);
  return symbol(expr, text, text == name ? "" : name);
}

// The value of a variable that the body has not assigned yet.
Value BodyWalker::initialValue(const VarDecl* var, const Expr* expr) {
  if (auto array = context_.arrayOf.find(var); array != context_.arrayOf.end())
    return {{}, {Pointer{nullptr, array->second, constantForm(0)}}};
  QualType type = var->getType().getNonReferenceType();
  if (!isInvariant(context_, var) || !type->isIntegralOrEnumerationType() || type->isBooleanType() ||
      context_.ast.getTypeSize(type) > 64)
    return {};
  if (isConstant(context_, var))
    if (const APValue* known = var->evaluateValue();
        known && known->isInt() && known->getInt().isRepresentableByInt64())
      return Value::of(constantForm(known->getInt().getExtValue()));
  if (const ObjectMember* member = context_.objects().find(var))
    return Value::of(symbol(expr, member->text, var->getNameAsString()));
  return Value::of(symbol(expr, var->hasGlobalStorage() ? visibleName(var) : var->getNameAsString()));
}

}  // namespace muster::plugin
