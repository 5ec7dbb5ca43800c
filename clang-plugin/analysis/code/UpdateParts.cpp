// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/UpdateParts.h"

#include "analysis/code/Functions.h"
#include "clang/AST/ExprCXX.h"

namespace muster::plugin {

using namespace clang;

const Expr* bareExpr(const Expr* expr) { return expr->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts(); }

static bool isElementOfLibrary(const CallExpr* call) {
  auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  return method && method->getOverloadedOperator() == OO_Subscript && method->getParent()->isInStdNamespace() &&
         llvm::is_contained({"vector", "array", "span"}, method->getParent()->getName());
}

static bool isPureCall(const ASTContext& ast, const CallExpr* call, unsigned depth);

// `depth`: how many calls are looked through.
static bool isPure(const ASTContext& ast, const Expr* expr, unsigned depth) {
  expr = expr->IgnoreParens();
  if (expr->isGLValue() && expr->getType().isVolatileQualified()) return false;
  if (!expr->HasSideEffects(ast)) return true;
  auto* call = dyn_cast<CallExpr>(expr);
  auto* op = dyn_cast<UnaryOperator>(expr);
  const bool isAddress = op && op->getOpcode() == UO_AddrOf;
  if (call ? !isPureCall(ast, call, depth) : !isAddress && !isa<CastExpr, ArraySubscriptExpr, MemberExpr>(expr))
    return false;
  auto parts = const_cast<Expr*>(expr)->children();
  // The callee comes first.
  const auto first = call ? std::next(parts.begin()) : parts.begin();
  return std::all_of(first, parts.end(), [&](const Stmt* part) { return isPure(ast, cast<Expr>(part), depth); });
}

static bool isPureCall(const ASTContext& ast, const CallExpr* call, unsigned depth) {
  if (isElementOfLibrary(call)) return true;
  const FunctionDecl* function = call->getDirectCallee();
  const FunctionDecl* definition = function && depth > 0 ? definitionOf(function) : nullptr;
  auto* method = dyn_cast_or_null<CXXMethodDecl>(definition);
  const Expr* only = definition && !(method && method->isVirtual()) ? onlyExpression(definition) : nullptr;
  return only && isPure(ast, only, depth - 1);
}

bool isPure(const ASTContext& ast, const Expr* expr) { return isPure(ast, expr, 3); }

bool isSame(const ASTContext& ast, const Expr* left, const Expr* right) {
  llvm::FoldingSetNodeID first, second;
  bareExpr(left)->Profile(first, ast, true);
  bareExpr(right)->Profile(second, ast, true);
  return first == second && isPure(ast, left);
}

static bool isUnsigned(QualType type) { return type->isUnsignedIntegerOrEnumerationType(); }

bool convertsExactly(const ASTContext& ast, const Expr* value, QualType to) {
  QualType from = value->IgnoreParenImpCasts()->getType().getCanonicalType().getUnqualifiedType();
  to = to.getCanonicalType().getUnqualifiedType();
  if (from == to) return true;
  const bool fromInteger = from->isIntegralOrEnumerationType(), toInteger = to->isIntegralOrEnumerationType();
  Expr::EvalResult constant;
  if (toInteger && fromInteger && value->IgnoreParenImpCasts()->EvaluateAsInt(constant, ast)) {
    const llvm::APSInt number = constant.Val.getInt();
    llvm::APSInt converted(number.extOrTrunc(ast.getTypeSize(to)), isUnsigned(to));
    return llvm::APSInt::isSameValue(number, converted);
  }
  const unsigned fromBits = ast.getTypeSize(from), toBits = ast.getTypeSize(to);
  if (toInteger)
    return fromInteger &&
           (isUnsigned(from) == isUnsigned(to) ? fromBits <= toBits : isUnsigned(from) && fromBits < toBits);
  if (fromInteger) return fromBits < llvm::APFloat::semanticsPrecision(ast.getFloatTypeSemantics(to));
  return from->isRealFloatingType() && fromBits <= toBits;
}

bool isStatementOf(const Stmt* parent, const Stmt* child) {
  if (isa<CompoundStmt, AttributedStmt>(parent)) return true;
  if (auto* condition = dyn_cast<IfStmt>(parent)) return child == condition->getThen() || child == condition->getElse();
  if (auto* loop = dyn_cast<ForStmt>(parent)) return child != loop->getCond();
  if (auto* loop = dyn_cast<WhileStmt>(parent)) return child == loop->getBody();
  if (auto* loop = dyn_cast<DoStmt>(parent)) return child == loop->getBody();
  if (auto* loop = dyn_cast<CXXForRangeStmt>(parent)) return child == loop->getBody();
  if (auto* choice = dyn_cast<SwitchStmt>(parent)) return child == choice->getBody();
  auto* label = dyn_cast<SwitchCase>(parent);
  return label && child == label->getSubStmt();
}

}  // namespace muster::plugin
