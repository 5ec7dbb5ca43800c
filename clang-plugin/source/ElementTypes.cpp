// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the elements of an array can be: arithmetic types, and structs that are copied byte by byte and hold no
// pointers.
#include "source/ElementTypes.h"

#include <set>

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "source/Compat.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

// The field of `owner` that an expression reads; nullptr: it is something else.
const FieldDecl* fieldOf(const Expr* expr, llvm::function_ref<bool(const Expr*)> isOwner) {
  expr = expr->IgnoreParenImpCasts();
  if (auto* copy = dyn_cast<CXXConstructExpr>(expr);
      copy && copy->getConstructor()->isCopyConstructor() && copy->getNumArgs() == 1)
    expr = copy->getArg(0)->IgnoreParenImpCasts();
  auto* member = dyn_cast<MemberExpr>(expr);
  return member && isOwner(member->getBase()->IgnoreParenImpCasts()) ? dyn_cast<FieldDecl>(member->getMemberDecl())
                                                                     : nullptr;
}

// Whether a constructor that the class wrote itself copies every member, and does nothing else.
bool copiesEachMember(const CXXConstructorDecl* constructor) {
  const FunctionDecl* definition = nullptr;
  if (!constructor->isDefined(definition) || constructor->getParent()->getNumBases() != 0) return false;
  constructor = cast<CXXConstructorDecl>(definition);
  const auto isOther = [&](const Expr* expr) {
    auto* reference = dyn_cast<DeclRefExpr>(expr);
    return reference && reference->getDecl() == constructor->getParamDecl(0);
  };
  std::set<const FieldDecl*> copied;
  for (const CXXCtorInitializer* initializer : constructor->inits()) {
    const FieldDecl* field = initializer->getMember();
    if (!field || initializer->getInit()->HasSideEffects(constructor->getASTContext(), false)) return false;
    if (fieldOf(initializer->getInit(), isOther) == field) copied.insert(field);
  }
  const auto* body = dyn_cast_or_null<CompoundStmt>(constructor->getBody());
  if (!body) return false;
  for (const Stmt* statement : body->body()) {
    auto* assignment = dyn_cast<BinaryOperator>(statement);
    if (!assignment || assignment->getOpcode() != BO_Assign) return false;
    const FieldDecl* field = fieldOf(assignment->getLHS(), [](const Expr* expr) { return isa<CXXThisExpr>(expr); });
    if (!field || fieldOf(assignment->getRHS(), isOther) != field) return false;
    copied.insert(field);
  }
  return llvm::all_of(constructor->getParent()->fields(),
                      [&](const FieldDecl* field) { return copied.count(field) || field->isUnnamedBitField(); });
}

// Whether all constructors that copy do what copying the bytes does; those that the compiler makes copy each member.
bool copiesLikeBytes(const ASTContext& ast, const CXXRecordDecl* record) {
  bool any = record->needsImplicitCopyConstructor();
  for (const CXXConstructorDecl* constructor : record->ctors()) {
    if (!constructor->isCopyOrMoveConstructor() || constructor->isDeleted()) continue;
    if (!constructor->isDefaulted() && !copiesEachMember(constructor)) return false;
    any = true;
  }
  const auto isPlain = [&](QualType type) {
    type = ast.getBaseElementType(type);
    return !type->isRecordType() || isCopiedByBytes(type);
  };
  return any && llvm::all_of(record->bases(), [&](const auto& base) { return isPlain(base.getType()); }) &&
         llvm::all_of(record->fields(), [&](const FieldDecl* field) { return isPlain(field->getType()); });
}

}  // namespace

bool isCopiedByBytes(QualType type) {
  const RecordDecl* record = type->getAsRecordDecl();
  if (!record || !record->getDefinition()) return false;
  auto* definition = dyn_cast<CXXRecordDecl>(record->getDefinition());
  if (!definition) return true;
  if (definition->isDependentContext() || definition->isDynamicClass()) return false;
  // The assignment of std::pair is its own, but copies what the bytes say.
  if (!definition->hasTrivialDestructor()) return false;
  return (definition->hasTrivialCopyConstructor() && !definition->hasNonTrivialMoveConstructor()) ||
         copiesLikeBytes(definition->getASTContext(), definition);
}

bool isPlainConstructor(const CXXConstructorDecl* constructor) {
  if (constructor->isTrivial()) return true;
  return constructor->isDefaulted() && constructor->isCopyOrMoveConstructor() &&
         isCopiedByBytes(compat::recordType(constructor->getASTContext(), constructor->getParent()));
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
      return say::HoldPointer(name);
    if (type.isVolatileQualified() || type->isAtomicType()) return say::HaveVolatileMember(name);
    if (const RecordDecl* inner = type->getAsRecordDecl())
      if (std::string reason = wrongMember(ast, inner->getDefinition()); !reason.empty()) return reason;
  }
  return "";
}

}  // namespace

QualType innermostType(QualType type) {
  while (true) {
    type = type.getNonReferenceType();
    if (type->isPointerType())
      type = type->getPointeeType();
    else if (auto* array = type->getAsArrayTypeUnsafe())
      type = array->getElementType();
    else
      return type;
  }
}

std::string canBeElement(const ASTContext& ast, QualType type) {
  type = type.getCanonicalType();
  if (type.isVolatileQualified() || type->isAtomicType()) return say::AreVolatile;
  if (isScalarType(type)) return "";
  if (type->isPointerType()) return say::ArePointers;
  const RecordDecl* record = type->getAsRecordDecl();
  if (!record || !record->getDefinition()) return say::AreNoNumbers;
  if (record->isInStdNamespace() && record->getName() == "vector") return say::AreVectors;
  if (!isCopiedByBytes(type)) return say::AreNotCopiedByBytes;
  if (!record->getIdentifier() && !record->getTypedefNameForAnonDecl()) return say::HaveNoName;
  return wrongMember(ast, record->getDefinition());
}

// Structs without constructors begin without a value, as the copies of a clause do.
static bool isPlainValue(QualType type) {
  if (isScalarType(type)) return true;
  auto* inCxx = type->getAsCXXRecordDecl();
  return type->isRecordType() && isCopiedByBytes(type) && (!inCxx || inCxx->hasTrivialDefaultConstructor());
}

bool isPrivateType(const ASTContext& ast, QualType type) {
  if (type->isDependentType() || type.isVolatileQualified()) return false;
  if (auto* array = ast.getAsConstantArrayType(type)) return isPrivateType(ast, array->getElementType());
  const QualType pointee = type->isPointerType() ? type->getPointeeType() : QualType();
  if (!pointee.isNull() && !pointee.isVolatileQualified() && isCopiedByBytes(pointee)) return true;
  return isPlainValue(pointee.isNull() ? type : pointee);
}

QualType givenAway(QualType type) {
  if (!type->isPointerType() && !type->isLValueReferenceType()) return {};
  type = type->getPointeeType();
  while (auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  return type;
}

bool isThreadLocal(const VarDecl* var) {
  return var->getTLSKind() != VarDecl::TLS_None || var->hasAttr<OMPThreadPrivateDeclAttr>();
}

}  // namespace muster::plugin
