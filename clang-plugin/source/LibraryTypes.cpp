// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the standard library, and tables of rows: which they are, and what their elements are.
#include "source/LibraryTypes.h"

#include "clang/AST/DeclTemplate.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

QualType vectorElement(QualType type) {
  auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  auto* vector = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
  if (!vector || !vector->isInStdNamespace() || vector->getName() != "vector") return {};
  return vector->getTemplateArgs()[0].getAsType();
}

QualType rowVectorElement(QualType type) {
  const QualType row = vectorElement(type);
  const QualType element = row.isNull() ? QualType() : vectorElement(row);
  if (element.isNull() || element->isBooleanType() || !vectorElement(element).isNull()) return {};
  return element;
}

static std::pair<QualType, unsigned> rowsOf(QualType type) {
  if (const QualType element = rowVectorElement(type); !element.isNull()) return {element, 1};
  type = type.getNonReferenceType();
  QualType row;
  if (type->isPointerType())
    row = type->getPointeeType();
  else if (type->isConstantArrayType())
    row = type->getAsArrayTypeUnsafe()->getElementType();
  if (row.isNull() || !row->isPointerType() || row.isVolatileQualified()) return {};
  QualType element = row->getPointeeType();
  unsigned levels = 1;
  for (; type->isPointerType() && element->isPointerType() && levels < MUSTER_MAX_ROW_LEVELS; ++levels) {
    if (element.isVolatileQualified()) return {};
    element = element->getPointeeType();
  }
  if (element->isPointerType() || element->isArrayType() || element->isFunctionType() || element->isVoidType())
    return {};
  return {element, levels};
}

QualType rowElement(QualType type) { return rowsOf(type).first; }

unsigned rowLevels(QualType type) { return rowsOf(type).second; }

// The name of the class template of the standard library that a type, perhaps a dependent one, is made from.
llvm::StringRef templateOf(QualType type) {
  const auto* specialisation = type->getAs<clang::TemplateSpecializationType>();
  const clang::TemplateDecl* name = specialisation ? specialisation->getTemplateName().getAsTemplateDecl() : nullptr;
  return name && name->isInStdNamespace() ? name->getName() : "";
}

QualType dependentVectorElement(QualType type) {
  if (!type->isDependentType() || templateOf(type) != "vector") return {};
  const auto arguments = type->getAs<clang::TemplateSpecializationType>()->template_arguments();
  if (arguments.size() != 1 || arguments[0].getKind() != clang::TemplateArgument::Type) return {};
  const QualType element = arguments[0].getAsType();
  return templateOf(element).empty() ? element : QualType();
}

QualType stdArrayElement(QualType type) {
  const auto* record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!record || !record->isInStdNamespace() || !record->getIdentifier() || record->getName() != "array") return {};
  return record->getTemplateArgs()[0].getAsType();
}

QualType uniquePointerElement(QualType type) {
  const auto* record =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  if (!record || !record->isInStdNamespace() || !record->getIdentifier() || record->getName() != "unique_ptr")
    return {};
  const clang::TemplateArgumentList& arguments = record->getTemplateArgs();
  const auto* array = arguments[0].getAsType()->getAsArrayTypeUnsafe();
  const clang::CXXRecordDecl* deleter = arguments[1].getAsType()->getAsCXXRecordDecl();
  if (!array || !deleter || !deleter->isInStdNamespace() || deleter->getName() != "default_delete") return {};
  return array->getElementType();
}

QualType smartPointee(QualType type) {
  auto* pointer = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  if (!pointer || !pointer->isInStdNamespace()) return {};
  if (pointer->getName() != "unique_ptr" && pointer->getName() != "shared_ptr") return {};
  const QualType pointee = pointer->getTemplateArgs()[0].getAsType();
  auto* array = pointee->getAsArrayTypeUnsafe();
  // An own deleter may give the pointer another type.
  if (pointer->getName() == "unique_ptr") {
    auto* deleter = pointer->getTemplateArgs()[1].getAsType()->getAsCXXRecordDecl();
    if (!deleter || !deleter->isInStdNamespace() || deleter->getName() != "default_delete") return {};
  }
  return array ? array->getElementType() : pointee;
}

bool isSmartArray(QualType type) {
  if (smartPointee(type).isNull()) return false;
  auto* pointer = cast<ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  return pointer->getTemplateArgs()[0].getAsType()->isArrayType();
}

}  // namespace muster::plugin
