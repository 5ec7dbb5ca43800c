// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognising allocations.
#include "pragma/Allocation.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

namespace muster::plugin {

namespace {

// Of the C or C++ library: declared in namespace std, or in a system header.
bool isOfLibrary(const clang::FunctionDecl& function) {
  if (function.isInStdNamespace()) return true;
  const clang::SourceManager& sources = function.getASTContext().getSourceManager();
  return sources.isInSystemHeader(sources.getExpansionLoc(function.getLocation()));
}

// A function of the program that gives back a pointer may have allocated what it points to. In a template it is known
// only later what is called.
bool mayAllocate(const clang::CallExpr& call) {
  if (call.isTypeDependent()) return true;
  const clang::FunctionDecl* callee = call.getDirectCallee();
  return call.getType()->isPointerType() && (!callee || (!isOfLibrary(*callee) && !callee->getBuiltinID()));
}

}  // namespace

AllocationKind allocationKind(const clang::Expr* expr) {
  if (const auto* fresh = llvm::dyn_cast<clang::CXXNewExpr>(expr))
    return fresh->isArray() ? AllocationKind::New : AllocationKind::None;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(expr);
  if (!call) return AllocationKind::None;
  const clang::FunctionDecl* callee = call->getDirectCallee();
  if (callee && callee->isExternC() && callee->getIdentifier()) {
    const auto kind = llvm::StringSwitch<AllocationKind>(callee->getName())
                          .Case("malloc", AllocationKind::Malloc)
                          .Case("calloc", AllocationKind::Calloc)
                          .Case("aligned_alloc", AllocationKind::AlignedAlloc)
                          .Case("posix_memalign", AllocationKind::PosixMemalign)
                          .Default(AllocationKind::None);
    if (kind != AllocationKind::None) return kind;
  }
  return mayAllocate(*call) || !outParameters(*call).empty() ? AllocationKind::Call : AllocationKind::None;
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
  // A pointer initialized by {new T[n]}.
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(expr); list && list->getNumInits() == 1)
    return findAllocation(list->getInit(0));
  // A member initialized by (new T[n]) in a template.
  if (const auto* list = llvm::dyn_cast<clang::ParenListExpr>(expr); list && list->getNumExprs() == 1)
    return findAllocation(list->getExpr(0));
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expr)) {
    if (isNullPointer(choice->getTrueExpr())) return findAllocation(choice->getFalseExpr());
    if (isNullPointer(choice->getFalseExpr())) return findAllocation(choice->getTrueExpr());
    return nullptr;
  }
  const AllocationKind kind = allocationKind(expr);
  const bool hasPointer = kind != AllocationKind::None && kind != AllocationKind::PosixMemalign;
  return hasPointer && (expr->getType()->isPointerType() || expr->isTypeDependent()) ? expr : nullptr;
}

std::vector<const clang::Expr*> outParameters(const clang::CallExpr& call) {
  std::vector<const clang::Expr*> result;
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (!callee || llvm::isa<clang::CXXOperatorCallExpr>(call)) return result;
  const bool isPosixMemalign = callee->isExternC() && callee->getIdentifier() && callee->getName() == "posix_memalign";
  if (!isPosixMemalign && isOfLibrary(*callee)) return result;
  for (unsigned i = 0; i < call.getNumArgs() && i < callee->getNumParams(); ++i) {
    const clang::QualType type = callee->getParamDecl(i)->getType();
    const clang::Expr* argument = call.getArg(i)->IgnoreParenCasts();
    if (type->isReferenceType() && type->getPointeeType()->isPointerType() &&
        !type->getPointeeType().isConstQualified())
      result.push_back(argument);
    else if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(argument);
             address && address->getOpcode() == clang::UO_AddrOf && type->isPointerType() &&
             address->getSubExpr()->getType()->isPointerType())
      result.push_back(address->getSubExpr()->IgnoreParens());
  }
  return result;
}

}  // namespace muster::plugin
