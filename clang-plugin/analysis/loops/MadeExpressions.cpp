// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/loops/MadeExpressions.h"

#include "source/Compat.h"

namespace muster::plugin {

using namespace clang;

const Expr* madeCast(const ASTContext& context, const Expr* number, QualType type) {
  auto& ast = const_cast<ASTContext&>(context);
  return CStyleCastExpr::Create(ast, type, VK_PRValue, CK_IntegralCast, const_cast<Expr*>(number), nullptr,
                                FPOptionsOverride(), ast.getTrivialTypeSourceInfo(type), SourceLocation(),
                                SourceLocation());
}

// Not the user's text, which a printer would take from between the operands.
const Expr* madeSum(const ASTContext& context, const Expr* left, const Expr* right, BinaryOperatorKind opcode) {
  auto& ast = const_cast<ASTContext&>(context);
  const QualType type = compat::pointerDifference(ast);
  if (ast.getTypeSize(left->getType()) < ast.getTypeSize(type)) left = madeCast(ast, left, type);
  auto* sum = BinaryOperator::Create(ast, const_cast<Expr*>(left), const_cast<Expr*>(right), opcode, type, VK_PRValue,
                                     OK_Ordinary, SourceLocation(), FPOptionsOverride());
  return new (ast) ParenExpr(SourceLocation(), SourceLocation(), sum);
}

const Expr* madeNumber(const ASTContext& ast, std::uint64_t number, QualType type) {
  return IntegerLiteral::Create(ast, llvm::APInt(ast.getTypeSize(type), number), type, SourceLocation());
}

Expr* madeValue(const ASTContext& ast, const VarDecl* variable) {
  auto* var = const_cast<VarDecl*>(variable);
  auto* reference = DeclRefExpr::Create(ast, NestedNameSpecifierLoc(), SourceLocation(), var, false, SourceLocation(),
                                        var->getType(), VK_LValue);
  return ImplicitCastExpr::Create(ast, var->getType(), CK_LValueToRValue, reference, nullptr, VK_PRValue,
                                  FPOptionsOverride());
}

}  // namespace muster::plugin
