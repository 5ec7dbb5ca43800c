// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spelling of C++ types in OpenCL C: declarators with address spaces, and records as structs.
#include "opencl/Types.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/StringExtras.h"
#include "opencl/Refusals.h"

namespace muster::plugin::opencl {

namespace {

bool basesAreEmpty(const clang::CXXRecordDecl* record) {
  return llvm::all_of(record->bases(), [](const clang::CXXBaseSpecifier& base) {
    const clang::CXXRecordDecl* type = base.getType()->getAsCXXRecordDecl();
    return type && type->isEmpty();
  });
}

}  // namespace

Space join(Space left, Space right) {
  if (left == Space::Any || left == right) return right;
  return right == Space::Any ? left : Space::Mixed;
}

const char* spacePrefix(Space space) {
  switch (space) {
    case Space::Global:
      return "__global ";
    case Space::Constant:
      return "__constant ";
    default:
      return "";
  }
}

std::string Types::declare(clang::QualType type, std::string declarator, Space space, clang::SourceLocation loc) {
  type = type.getCanonicalType();
  bool isPointer = false, isArray = false;
  for (;;) {
    if (type->isPointerType() || type->isReferenceType()) {
      if (isPointer) refusals_.add(loc, "uses a pointer to a pointer");
      if (isArray) refusals_.add(loc, "uses an array of pointers");
      const clang::QualType pointee = type->getPointeeType();
      const bool isConst = type.isConstQualified() && !declarator.empty();
      declarator = (isConst ? "*const " : "*") + declarator;
      if (pointee->isArrayType()) declarator = "(" + declarator + ")";
      type = pointee;
      isPointer = true;
    } else if (const auto* array = context_.getAsConstantArrayType(type)) {
      declarator += "[" + llvm::toString(array->getSize(), 10, false) + "]";
      type = array->getElementType();
      isArray = true;
    } else {
      break;
    }
  }
  std::string base = isPointer ? spacePrefix(space) : "";
  if (type.isConstQualified() && !(isPointer && space == Space::Constant)) base += "const ";
  base += baseName(type, loc);
  return declarator.empty() ? base : base + " " + declarator;
}

std::string Types::baseName(clang::QualType type, clang::SourceLocation loc) {
  const Scalar scalar = scalarOf(context_, type);
  if (scalar == Scalar::F64) noteFp64();
  if (scalar != Scalar::None || type->isVoidType()) return scalarName(scalar);
  if (const auto* recordType = type->getAs<clang::RecordType>()) return record(recordType->getDecl(), loc);
  if (type->isFunctionType() || type->isMemberPointerType())
    refusals_.add(loc, "uses a pointer to a function or a member, which OpenCL does not have");
  else if (type->isVariableArrayType())
    refusals_.add(loc, "uses an array of variable length, which OpenCL does not have");
  else
    refusals_.add(loc, "uses '" + type.getUnqualifiedType().getAsString() + "', which OpenCL does not have");
  return "void";
}

bool Types::isPrintable(const clang::RecordDecl* record, clang::SourceLocation loc) {
  const std::string name = "'" + record->getQualifiedNameAsString() + "'";
  if (!record->isCompleteDefinition()) {
    refusals_.add(loc, "uses " + name + ", which is incomplete");
  } else if (const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(record)) {
    if (!cxx->hasTrivialDestructor())
      refusals_.add(loc, "uses " + name + ", which has a destructor");
    else if (cxx->isDynamicClass() || !basesAreEmpty(cxx))
      refusals_.add(loc, "uses " + name + ", which has base classes with data or virtual functions");
    else if (cxx->isLambda())
      refusals_.add(loc, "uses a lambda");
  }
  return !refusals_.any();
}

std::string Types::record(const clang::RecordDecl* record, clang::SourceLocation loc) {
  if (const clang::RecordDecl* definition = record->getDefinition()) record = definition;
  if (const auto known = records_.find(record); known != records_.end()) return known->second;
  if (!isPrintable(record, loc)) return "void";
  const std::string name = names_.unique(record->getName().empty() ? "record" : record->getName());
  records_[record] = name;
  std::string fields;
  for (const clang::FieldDecl* member : record->fields()) {
    if (member->isBitField()) refusals_.add(loc, "uses a bit field");
    if (member->getType()->isPointerType() || member->getType()->isReferenceType())
      refusals_.add(loc, "uses '" + record->getNameAsString() + "', which holds a pointer");
    // A constant member would make the struct unassignable, which C++ copies by construction.
    clang::QualType type = member->getType();
    if (!type->isArrayType()) type = type.getUnqualifiedType();
    fields += "  " + declare(type, field(member), Space::Private, loc) + ";\n";
  }
  if (fields.empty()) fields = "  char unused;\n";  // C has no empty structs
  definitions_ +=
      std::string("typedef ") + (record->isUnion() ? "union" : "struct") + " {\n" + fields + "} " + name + ";\n\n";
  return name;
}

std::string Types::field(const clang::FieldDecl* field) {
  if (field->getName().empty()) return "field" + std::to_string(field->getFieldIndex());
  return Names::legal(field->getName());
}

}  // namespace muster::plugin::opencl
