// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognising allocations.
#include "pragma/Allocation.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

namespace muster::plugin {

AllocationKind allocationKind(const clang::Expr* expr) {
  if (const auto* fresh = llvm::dyn_cast<clang::CXXNewExpr>(expr))
    return fresh->isArray() ? AllocationKind::New : AllocationKind::None;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(expr);
  const clang::FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->isExternC() || !callee->getIdentifier()) return AllocationKind::None;
  return llvm::StringSwitch<AllocationKind>(callee->getName())
      .Case("malloc", AllocationKind::Malloc)
      .Case("calloc", AllocationKind::Calloc)
      .Case("aligned_alloc", AllocationKind::AlignedAlloc)
      .Default(AllocationKind::None);
}

static bool isNullPointer(const clang::Expr* expr) {
  expr = expr->IgnoreParenCasts();
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(expr) || llvm::isa<clang::GNUNullExpr>(expr)) return true;
  const auto* number = llvm::dyn_cast<clang::IntegerLiteral>(expr);
  return number && number->getValue() == 0;
}

const clang::Expr* findAllocation(const clang::Expr* expr) {
  if (!expr) return nullptr;
  expr = expr->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expr)) {
    if (isNullPointer(choice->getTrueExpr())) return findAllocation(choice->getFalseExpr());
    if (isNullPointer(choice->getFalseExpr())) return findAllocation(choice->getTrueExpr());
    return nullptr;
  }
  return allocationKind(expr) == AllocationKind::None ? nullptr : expr;
}

}  // namespace muster::plugin
