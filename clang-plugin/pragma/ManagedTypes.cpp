// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules on types and storage of managed arrays.
#include "pragma/ManagedTypes.h"
#include "source/Compat.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {
namespace {

using clang::QualType;
using Verdict = Manageability::Verdict;

class TypeRules {
 public:
  TypeRules(const clang::ASTContext& context, const clang::DeclaratorDecl& decl, OperandPlace place)
      : context_(context), decl_(decl), place_(place) {}

  Manageability judge(QualType type) {
    const bool isPointerToElements = type->isPointerType() && !type->getPointeeType()->isPointerType();
    if (type->isDependentType() && isPointerToElements && !type->getPointeeType()->isArrayType())
      return {Manageability::Yes, ManagedForm::Pointer, ""};  // elements are judged where the template is instantiated
    if (type->isDependentType() && rowLevels(type) == 1) return {Manageability::Yes, ManagedForm::Rows, ""};
    if (type->isDependentType() && llvm::isa<clang::FieldDecl>(decl_) && isEmbeddedArray(type))
      return {Manageability::Yes, ManagedForm::Embedded,
              ""};  // of another size, perhaps, in each instance of the class
    if (!dependentVectorElement(type).isNull())
      return {Manageability::Yes, ManagedForm::Vector, ""};  // as pointers are
    if (type->isDependentType()) return notYet(say::TypeIsDependent(name(type)));
    if (const std::string reason = wrongStorage(); !reason.empty()) return no(reason);
    // What is assigned to a reference is allocated here, whatever holds the pointer.
    const bool isPointer = type.getNonReferenceType()->isPointerType();
    if (place_ != OperandPlace::Declaration && isPointer) type = type.getNonReferenceType();
    if (place_ == OperandPlace::Behind && !isPointer) return no(say::NoPointer(say::DirectiveBehindObject));
    if (type->isReferenceType()) return no(say::ManagedReference);
    if (const auto* pointer = type->getAs<clang::PointerType>()) return pointerTo(pointer->getPointeeType());
    if (type->isArrayType()) return array(type);
    if (const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl()) return ofClass(type, *record);
    return no(say::SingleValue(name(type), whatCanBe()));
  }

 private:
  bool isEmbeddedArray(QualType type) const {
    if (type->isArrayType()) return !context_.getBaseElementType(type)->isPointerType();
    return templateOf(type) == "array";
  }

  Manageability no(std::string reason) const { return {Manageability::No, ManagedForm::Pointer, std::move(reason)}; }
  Manageability notYet(std::string reason) const {
    return {Manageability::NotYet, ManagedForm::Pointer, std::move(reason)};
  }
  std::string name(QualType type) const { return type.getAsString(context_.getPrintingPolicy()); }

  bool isC() const { return !context_.getLangOpts().CPlusPlus; }
  std::string whatCanBe() const {
    return std::string("what can be managed are pointers") + (isC() ? " and arrays" : ", arrays and std::vector") +
           " of arithmetic types or plain structs";
  }

  std::string wrongStorage() const {
    if (place_ == OperandPlace::Behind) return "";
    if (const auto* field = llvm::dyn_cast<clang::FieldDecl>(&decl_))
      return field->isBitField() ? say::ManagedBitField : "";
    const auto& var = *llvm::cast<clang::VarDecl>(&decl_);
    if (var.getTSCSpec() != clang::TSCS_unspecified) return say::ManagedThreadLocal;
    if (isThreadLocal(&var)) return say::ManagedThreadprivate;
    if (place_ != OperandPlace::Declaration) return "";
    // What is assigned to a pointer is allocated elsewhere in any case.
    const bool isDeclaration = !var.isThisDeclarationADefinition() || (var.hasExternalStorage() && !var.hasInit());
    if (isDeclaration && !var.getType()->isPointerType()) return say::OnlyDeclared;
    return "";
  }

  Manageability pointerTo(QualType pointee) const {
    if (pointee->isFunctionType()) return no(say::PointsToFunction);
    if (const QualType row = rowElement(decl_.getASTContext().getPointerType(pointee)); !row.isNull())
      return element(row, ManagedForm::Rows);
    return element(context_.getBaseElementType(pointee), ManagedForm::Pointer);
  }

  Manageability array(QualType type) const {
    if (type->isVariableArrayType())
      return no(say::ManagedVariableLength(isC() ? "malloc" : "new, malloc or std::vector"));
    if (type->isIncompleteArrayType()) return no(say::NumberOfElementsUnknown);
    if (!rowElement(type).isNull()) return notYet(say::PointersInArray);
    const QualType base = context_.getBaseElementType(type);
    if (base.isConstQualified()) return no(say::ConstantElements);
    return element(base, formOfArray());
  }

  ManagedForm formOfArray() const {
    return llvm::isa<clang::FieldDecl>(decl_) ? ManagedForm::Embedded : ManagedForm::Array;
  }

  Manageability stdArray(QualType type, const clang::ClassTemplateSpecializationDecl& record) const {
    const QualType base = record.getTemplateArgs()[0].getAsType();
    if (type.isConstQualified() || base.isConstQualified()) return no(say::ConstantElements);
    if (record.getTemplateArgs()[1].getAsIntegral().isZero()) return no(say::NoElements);
    return element(base, formOfArray());
  }

  Manageability ofClass(QualType type, const clang::CXXRecordDecl& record) const {
    const auto* specialisation = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    const llvm::StringRef className = record.getIdentifier() ? record.getName() : "";
    if (!specialisation || !record.isInStdNamespace()) return no(say::ManagedClass(name(type), whatCanBe()));
    if (className == "vector") return vector(type, *specialisation);
    if (className == "unique_ptr") return uniquePointer(type);
    if (className == "array") return stdArray(type, *specialisation);
    return no(say::ManagedClass(name(type), whatCanBe()));
  }

  Manageability uniquePointer(QualType type) const {
    const QualType base = uniquePointerElement(type);
    if (base.isNull()) return no(say::OwnDeleter);
    return element(base, ManagedForm::UniquePointer);
  }

  static bool isOfLibrary(const clang::ClassTemplateSpecializationDecl& vector) {
    const clang::CXXRecordDecl* allocator = vector.getTemplateArgs()[1].getAsType()->getAsCXXRecordDecl();
    return allocator && allocator->isInStdNamespace() && allocator->getName() == "allocator";
  }

  Manageability vector(QualType type, const clang::ClassTemplateSpecializationDecl& record) const {
    if (type.isConstQualified()) return no(say::ConstantVector);
    const QualType base = record.getTemplateArgs()[0].getAsType();
    if (base->isBooleanType()) return no(say::BitsOfVector);
    const clang::CXXRecordDecl* row = base->getAsCXXRecordDecl();
    const QualType inRow = rowVectorElement(type);
    const bool isOwn = !inRow.isNull() && !isOfLibrary(*llvm::cast<clang::ClassTemplateSpecializationDecl>(row));
    if (isOwn || !isOfLibrary(record)) return no(say::OwnAllocator);
    if (!inRow.isNull()) return element(inRow, ManagedForm::Vector);
    if (row && row->isInStdNamespace() && row->getName() == "vector") return notYet(say::RowsAreVectors);
    return element(base, ManagedForm::Vector);
  }

  Manageability element(QualType type, ManagedForm form) const {
    const std::string quoted = "'" + name(type.getUnqualifiedType()) + "'";
    if (type->isVoidType()) return no(say::PointerToVoid);
    if (type->isPointerType() || type->isMemberPointerType()) return no(say::ElementsArePointersOfType(quoted));
    if (type.isVolatileQualified() || type->isAtomicType() || isStdAtomic(type))
      return no(say::ElementsAreVolatileOfType(quoted));
    if (type->isIncompleteType()) return no(say::ElementTypeIncomplete(quoted));
    if (const clang::RecordDecl* record = type->getAsRecordDecl()) {
      if (const std::string reason = wrongRecord(*record); !reason.empty())
        return no(say::ElementTypeThat(quoted, reason));
    } else if (!type->isArithmeticType() && !type->isEnumeralType() && !type->isVectorType()) {
      return no(say::ElementTypeNotArithmetic(quoted, whatCanBe()));
    }
    return {Manageability::Yes, form, ""};
  }

  static bool isStdAtomic(QualType type) {
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record && record->isInStdNamespace() && record->getName() == "atomic";
  }

  std::string wrongRecord(const clang::RecordDecl& record) const {
    if (!isCopiedByBytes(compat::recordType(context_, &record))) return say::ClassNotCopiedByBytes;
    if (const clang::FieldDecl* pointer = findPointer(record))
      return say::ClassHoldsPointer(pointer->getNameAsString());
    return "";
  }

  const clang::FieldDecl* findPointer(const clang::RecordDecl& record) const {
    if (const auto* derived = llvm::dyn_cast<clang::CXXRecordDecl>(&record))
      for (const clang::CXXBaseSpecifier& base : derived->bases())
        if (const clang::CXXRecordDecl* parent = base.getType()->getAsCXXRecordDecl())
          if (const clang::FieldDecl* found = findPointer(*parent)) return found;
    for (const clang::FieldDecl* field : record.fields()) {
      const QualType type = context_.getBaseElementType(field->getType());
      if (type->isAnyPointerType() || type->isReferenceType() || type->isMemberPointerType()) return field;
      if (const clang::RecordDecl* inner = type->getAsRecordDecl())
        if (const clang::FieldDecl* found = findPointer(*inner->getDefinition())) return found;
    }
    return nullptr;
  }

  const clang::ASTContext& context_;
  const clang::DeclaratorDecl& decl_;
  const OperandPlace place_;
};

}  // namespace

Manageability manageability(const clang::ASTContext& context, const clang::DeclaratorDecl& decl, QualType type,
                            OperandPlace place) {
  return TypeRules(context, decl, place).judge(type);
}

}  // namespace muster::plugin
