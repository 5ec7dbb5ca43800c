// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations by new, malloc, calloc and aligned_alloc.
#include "clang/AST/ExprCXX.h"
#include "pragma/Allocation.h"
#include "rewrite/Storage.h"

namespace muster::plugin {
namespace {

using Outcome = StorageRewriter::Outcome;

constexpr const char* kMacro = "the allocation is written in a macro";

// Why this new-expression is more than room for elements that start as zero or undefined.
Outcome refuseNew(const clang::CXXNewExpr& fresh) {
  if (fresh.getNumPlacementArgs() != 0) return "it is allocated by a placement or nothrow new";
  if (llvm::isa_and_nonnull<clang::CXXMethodDecl>(fresh.getOperatorNew()))
    return "its class has an operator new of its own";
  if (fresh.isTypeDependent() || fresh.isInstantiationDependent()) return "its type depends on a template parameter";
  const auto* list = llvm::dyn_cast_or_null<clang::InitListExpr>(fresh.getInitializer());
  if (list && list->getNumInits() != 0) return "new with an initializer list";
  if (list && list->hasArrayFiller() && !llvm::isa<clang::ImplicitValueInitExpr>(list->getArrayFiller()))
    return "new with an initializer list";
  return std::nullopt;
}

// Elements whose default constructor does something are constructed in place.
bool needsConstruction(const clang::CXXNewExpr& fresh) {
  const clang::CXXRecordDecl* record = fresh.getAllocatedType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record && !record->hasTrivialDefaultConstructor();
}

Outcome rewriteNew(StorageRewriter& rewriter, const ArrayPlan& array, const clang::CXXNewExpr& fresh) {
  if (Outcome refusal = refuseNew(fresh)) return refusal;
  const clang::Expr* size = fresh.getArraySize().value_or(nullptr);
  std::optional<std::string> count = size ? rewriter.edits().text(size->getSourceRange()) : std::nullopt;
  if (!count) return kMacro;
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(size->IgnoreImplicit());
      operation && operation->isCommaOp())
    *count = "(" + *count + ")";
  clang::ASTContext& context = rewriter.context();
  const clang::QualType row = fresh.getAllocatedType();
  const std::string element = rewriter.typeName(context.getBaseElementType(row).getUnqualifiedType());
  std::string elements = *count;
  if (const auto* rows = context.getAsConstantArrayType(row))
    elements =
        "static_cast<std::size_t>(" + *count + ") * " + std::to_string(context.getConstantArrayElementCount(rows));
  std::string text = std::string("muster::") + (array.replicated ? "Replicated" : "Partitioned") + "Array<" + element +
                     ">::create(" + rewriter.siteName(array) + ", " + elements + ").host()";
  if (needsConstruction(fresh)) {
    if (size->HasSideEffects(context)) return "its elements have a constructor, and its size cannot be evaluated twice";
    text = "::new (static_cast<void *>(" + text + ")) " + rewriter.declare(context.getBaseElementType(row), "") + "[" +
           elements + "]";
  }
  if (row->isArrayType()) text = "reinterpret_cast<" + rewriter.typeName(fresh.getType()) + ">(" + text + ")";
  if (!rewriter.edits().replace(fresh.getSourceRange(), text)) return kMacro;
  return std::nullopt;
}

Outcome rewriteCall(StorageRewriter& rewriter, const ArrayPlan& array, const clang::CallExpr& call,
                    const std::string& function) {
  EditList& edits = rewriter.edits();
  const std::size_t mark = edits.mark();
  if (edits.replace(call.getCallee()->getSourceRange(), function) &&
      edits.insertBefore(call.getArg(0)->getBeginLoc(), "&" + rewriter.siteName(array) + ", "))
    return std::nullopt;
  edits.takeBack(mark);
  return kMacro;
}

}  // namespace

Outcome rewriteAllocation(StorageRewriter& rewriter, const ArrayPlan& array) {
  const clang::Expr* allocation = findAllocation(array.allocation);
  if (!allocation) return "its allocation is none of new T[n], malloc, calloc, aligned_alloc";
  const auto* call = llvm::dyn_cast<clang::CallExpr>(allocation);
  switch (allocationKind(allocation)) {
    case AllocationKind::New:
      return rewriteNew(rewriter, array, *llvm::cast<clang::CXXNewExpr>(allocation));
    case AllocationKind::Malloc:
      return rewriteCall(rewriter, array, *call, "muster_array_malloc");
    case AllocationKind::Calloc:
      return rewriteCall(rewriter, array, *call, "muster_array_calloc");
    case AllocationKind::AlignedAlloc:
      return rewriteCall(rewriter, array, *call, "muster_array_aligned_alloc");
    case AllocationKind::None:
      break;
  }
  return "its allocation is none of new T[n], malloc, calloc, aligned_alloc";
}

}  // namespace muster::plugin
