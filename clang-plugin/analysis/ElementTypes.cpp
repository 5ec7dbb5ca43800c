// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the elements of an array can be: arithmetic types, and structs that are copied byte by byte and hold no
// pointers.
#include "analysis/Context.h"
#include "clang/AST/DeclCXX.h"

namespace muster::plugin {

using namespace clang;

bool isCopiedByBytes(QualType type) {
  const RecordDecl* record = type->getAsRecordDecl();
  if (!record || !record->getDefinition()) return false;
  auto* definition = dyn_cast<CXXRecordDecl>(record->getDefinition());
  if (!definition) return true;
  if (definition->isDependentContext() || definition->isDynamicClass()) return false;
  // The assignment of std::pair is its own, but copies what the bytes say.
  return definition->hasTrivialDestructor() && definition->hasTrivialCopyConstructor() &&
         !definition->hasNonTrivialMoveConstructor();
}

namespace {

std::string wrongMember(const ASTContext& ast, const RecordDecl* record) {
  if (auto* definition = dyn_cast<CXXRecordDecl>(record))
    for (const CXXBaseSpecifier& base : definition->bases())
      if (const RecordDecl* parent = base.getType()->getAsRecordDecl())
        if (std::string reason = wrongMember(ast, parent->getDefinition()); !reason.empty()) return reason;
  for (const FieldDecl* field : record->fields()) {
    const QualType type = ast.getBaseElementType(field->getType());
    const std::string name = " ('" + field->getNameAsString() + "')";
    if (type->isAnyPointerType() || type->isReferenceType() || type->isMemberPointerType())
      return "hold a pointer" + name + ", which no other device can follow";
    if (type.isVolatileQualified() || type->isAtomicType()) return "have a volatile or atomic member" + name;
    if (type->isIncompleteArrayType()) return "have an array member of unknown length" + name;
    if (const RecordDecl* inner = type->getAsRecordDecl())
      if (std::string reason = wrongMember(ast, inner->getDefinition()); !reason.empty()) return reason;
  }
  return "";
}

}  // namespace

std::string canBeElement(const ASTContext& ast, QualType type) {
  type = type.getCanonicalType();
  if (type.isVolatileQualified() || type->isAtomicType()) return "are volatile or atomic";
  if (isScalarType(type)) return "";
  if (type->isPointerType()) return "are pointers";
  const RecordDecl* record = type->getAsRecordDecl();
  if (!record || !record->getDefinition()) return "are no numbers or structs";
  if (!isCopiedByBytes(type)) return "cannot be copied byte by byte";
  if (!record->getIdentifier() && !record->getTypedefNameForAnonDecl()) return "have no name";
  return wrongMember(ast, record->getDefinition());
}

}  // namespace muster::plugin
