// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/UpdateParts.h"

#include "clang/AST/ExprCXX.h"

namespace muster::plugin {

using namespace clang;

const Expr* bareExpr(const Expr* expr) { return expr->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts(); }

// Also of elements of standard containers, which are calls.
static bool isPure(const ASTContext& ast, const Expr* expr) {
  expr = expr->IgnoreParens();
  if (expr->isGLValue() && expr->getType().isVolatileQualified()) return false;
  auto* call = dyn_cast<CXXOperatorCallExpr>(expr);
  auto* method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  const bool isElement = method && call->getOperator() == OO_Subscript && method->getParent()->isInStdNamespace() &&
                         llvm::is_contained({"vector", "array", "span"}, method->getParent()->getName());
  if (!isElement && !isa<CastExpr, ArraySubscriptExpr, MemberExpr>(expr)) return !expr->HasSideEffects(ast);
  auto parts = const_cast<Expr*>(expr)->children();
  // The callee comes first.
  const auto first = isElement ? std::next(parts.begin()) : parts.begin();
  return std::all_of(first, parts.end(), [&](const Stmt* part) { return isPure(ast, cast<Expr>(part)); });
}

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

}  // namespace muster::plugin
