// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations: new, malloc and its kin are replaced; what cannot be, and calls of functions, are put into a scope.
#include "clang/AST/ExprCXX.h"
#include "rewrite/storage/Storage.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

using Outcome = StorageRewriter::Outcome;

bool isNothrow(const clang::CXXNewExpr& fresh) {
  if (fresh.getNumPlacementArgs() != 1) return false;
  const clang::CXXRecordDecl* type = fresh.getPlacementArg(0)->getType()->getAsCXXRecordDecl();
  return type && type->isInStdNamespace() && type->getName() == "nothrow_t";
}

// Why no array of the global operator new[] comes of this new-expression.
Outcome refuseNew(const clang::CXXNewExpr& fresh) {
  if (fresh.getNumPlacementArgs() != 0 && !isNothrow(fresh)) return say::PlacementNew;
  if (llvm::isa_and_nonnull<clang::CXXMethodDecl>(fresh.getOperatorNew())) return say::OwnOperatorNew;
  return std::nullopt;
}

// Why this new-expression is more than room for elements that start as zero or undefined.
Outcome refuseCreation(const clang::CXXNewExpr& fresh) {
  if (fresh.getNumPlacementArgs() != 0) return say::NothrowNew;
  const auto* list = llvm::dyn_cast_or_null<clang::InitListExpr>(fresh.getInitializer());
  if (list && list->getNumInits() != 0) return say::NewWithInitializer;
  if (list && list->hasArrayFiller() && !llvm::isa<clang::ImplicitValueInitExpr>(list->getArrayFiller()))
    return say::NewWithInitializer;
  return std::nullopt;
}

// Elements whose default constructor does something are constructed in place.
bool needsConstruction(const clang::CXXNewExpr& fresh) {
  const clang::CXXRecordDecl* record = fresh.getAllocatedType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  return record && !record->hasTrivialDefaultConstructor();
}

// Where the pointer to a row, or to a table in another one, will be.
std::optional<std::string> slotText(StorageRewriter& rewriter, const ArrayPlan& array) {
  if (!array.rowPlace) return rewriter.dialect().null();
  const std::optional<std::string> place = rewriter.edits().text(array.rowPlace->getSourceRange());
  return place ? std::optional("(void *)&(" + *place + ")") : std::nullopt;
}

Outcome rewriteNew(StorageRewriter& rewriter, const ArrayPlan& array, const clang::CXXNewExpr& fresh) {
  if (Outcome refusal = refuseCreation(fresh)) return refusal;
  const clang::Expr* size = fresh.getArraySize().value_or(nullptr);
  std::optional<std::string> count = size ? rewriter.edits().text(size->getSourceRange()) : std::nullopt;
  if (!count) return say::AllocationInMacro;
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
  const bool isZero = fresh.getInitializationStyle() != clang::CXXNewInitializationStyle::None;
  std::string text;
  const std::optional<std::string> slot = slotText(rewriter, array);
  if (!slot) return say::AllocationInMacro;
  if (array.part == ArrayPart::Table) {
    text =
        "static_cast<" + rewriter.typeName(fresh.getType()) + ">(muster_table_create(" + *slot + ", " + *count + "))";
  } else if (array.part == ArrayPart::Row) {
    text = "static_cast<" + element + " *>(muster_row_" + (isZero ? "create" : "new") + "(&" +
           rewriter.siteName(array) + ", " + *slot + ", " + elements + "))";
  } else {
    text = std::string("::muster::") + (array.replicated ? "Replicated" : "Partitioned") + "Array<" + element +
           ">::" + (isZero ? "create(" : "allocate(") + rewriter.siteName(array) + ", " + elements + ").host()";
  }
  if (needsConstruction(fresh)) {
    if (size->HasSideEffects(context)) return say::SizeEvaluatedTwice;
    text = "::new (static_cast<void *>(" + text + ")) " + rewriter.declare(context.getBaseElementType(row), "") + "[" +
           elements + "]";
  }
  if (row->isArrayType()) text = "reinterpret_cast<" + rewriter.typeName(fresh.getType()) + ">(" + text + ")";
  if (!rewriter.edits().replace(fresh.getSourceRange(), text)) return say::AllocationInMacro;
  return std::nullopt;
}

Outcome rewriteCall(StorageRewriter& rewriter, const ArrayPlan& array, const clang::CallExpr& call,
                    const std::string& function) {
  EditList& edits = rewriter.edits();
  const std::size_t mark = edits.mark();
  std::string part = array.part == ArrayPart::Table ? "table"
                     : array.part == ArrayPart::Row ? "row"
                                                    : "array",
              arguments;
  if (array.part != ArrayPart::Table) arguments = "&" + rewriter.siteName(array) + ", ";
  if (array.part != ArrayPart::Elements) {
    const std::optional<std::string> slot = slotText(rewriter, array);
    if (!slot) return say::AllocationInMacro;
    arguments += *slot + ", ";
  }
  if (edits.replace(call.getCallee()->getSourceRange(), "muster_" + part + "_" + function) &&
      edits.insertBefore(call.getArg(0)->getBeginLoc(), arguments))
    return std::nullopt;
  edits.takeBack(mark);
  return say::AllocationInMacro;
}

// Whatever the expression allocates in the calling thread. Text around it, so that what it holds can be edited too;
// where it starts or ends with a macro the whole is replaced.
Outcome rewriteInScope(StorageRewriter& rewriter, const ArrayPlan& array, const clang::Expr& value) {
  const bool isC = rewriter.dialect().isC();
  const bool hasValue = !value.getType()->isVoidType();
  const std::string site = rewriter.siteName(array);
  const std::string before = isC ? "__extension__({ muster_allocation_scope_begin(&" + site + ", " +
                                       rewriter.elementSize(array) + "); " +
                                       (hasValue ? "__auto_type muster_made = " : "")
                                 : "(" + rewriter.scope(array) + ", ";
  const std::string after =
      isC ? std::string("; muster_allocation_scope_end(); ") + (hasValue ? "muster_made; })" : "})") : ")";
  EditList& edits = rewriter.edits();
  const std::size_t mark = edits.mark();
  const clang::SourceRange range = value.getSourceRange();
  if (range.getBegin().isFileID() && range.getEnd().isFileID() && edits.insertBefore(range.getBegin(), before) &&
      edits.insertAfter(range.getEnd(), after))
    return std::nullopt;
  edits.takeBack(mark);
  const std::optional<std::string> text = edits.text(range);
  if (text && edits.replace(range, before + *text + after)) return std::nullopt;
  return say::AllocationInMacro;
}

Outcome rewriteExactly(StorageRewriter& rewriter, const ArrayPlan& array, const clang::Expr& allocation) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&allocation);
  switch (array.storage) {
    case StorageKind::New:
      return rewriteNew(rewriter, array, *llvm::cast<clang::CXXNewExpr>(&allocation));
    case StorageKind::Malloc:
      return rewriteCall(rewriter, array, *call, "malloc");
    case StorageKind::Calloc:
      return rewriteCall(rewriter, array, *call, "calloc");
    case StorageKind::AlignedAlloc:
      return rewriteCall(rewriter, array, *call, "aligned_alloc");
    case StorageKind::PosixMemalign:
      return rewriteCall(rewriter, array, *call, "posix_memalign");
    default:
      return say::AllocatedByCall;
  }
}

}  // namespace

Outcome rewriteAllocation(StorageRewriter& rewriter, const ArrayPlan& array) {
  const clang::Expr& allocation = *array.allocation;
  if (array.part != ArrayPart::Table && !rewriter.shareSite(array, allocation)) return say::AllocationInMacro;
  if (const auto* fresh = llvm::dyn_cast<clang::CXXNewExpr>(&allocation))
    if (Outcome refusal = refuseNew(*fresh)) return refusal;
  // What a template allocates is told by its type there; rows are replaced, and need to be known here.
  if (allocation.isInstantiationDependent() && array.part == ArrayPart::Row) return say::RowTypeIsDependent;
  if (allocation.isInstantiationDependent() && array.part == ArrayPart::Elements)
    return rewriteInScope(rewriter, array, *array.value);
  const Outcome refusal = rewriteExactly(rewriter, array, allocation);
  if (!refusal || array.part == ArrayPart::Table) return refusal;
  return rewriteInScope(rewriter, array, *array.value);
}

}  // namespace muster::plugin
