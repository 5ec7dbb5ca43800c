// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spelling of C++ types in OpenCL C: declarators with address spaces, and records as structs.
#include "lower/types/Types.h"

#include <utility>

#include "analysis/loops/Iterators.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "lower/types/Refusals.h"
#include "source/Compat.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

// A member of a struct in C: a member, or a base class with data.
struct Part {
  clang::QualType type;
  std::uint64_t offset;
  std::string name;
};

// A struct may have no name but a typedef's.
std::string nameOf(const clang::RecordDecl* record) {
  const clang::TypedefNameDecl* alias = record->getTypedefNameForAnonDecl();
  return alias ? alias->getNameAsString() : record->getNameAsString();
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
      return "constant ";
    default:
      return "";
  }
}

std::string definedOnce(const std::string& name, const std::string& text) {
  return "#ifndef " + name + "_is_there\n#define " + name + "_is_there\n" + text + "#endif\n";
}

// A type of its own: `definition` and a name.
std::string Types::define(llvm::StringRef wanted, const std::string& definition) {
  const std::string name = amongOthers_ ? Names::common(wanted, definition) : names_.uniqueOutside(wanted);
  const std::string text = "typedef " + definition + name + ";\n\n";
  definitions_ += amongOthers_ ? definedOnce(name, text) : text;
  return name;
}

// Of an array, also one whose length is a constant only to the optimiser (in C: `const int n = 8; double a[n];`).
std::optional<std::uint64_t> Types::lengthOf(clang::QualType type) const {
  if (const auto* constant = context_.getAsConstantArrayType(type)) return constant->getZExtSize();
  const auto* variable = context_.getAsVariableArrayType(type);
  clang::Expr::EvalResult length;
  if (!variable || !variable->getSizeExpr() || !variable->getSizeExpr()->EvaluateAsInt(length, context_)) return {};
  const llvm::APSInt& number = length.Val.getInt();
  return number.isStrictlyPositive() ? std::optional(number.getZExtValue()) : std::nullopt;
}

std::string Types::declare(clang::QualType type, std::string declarator, Space space, clang::SourceLocation loc) {
  type = type.getCanonicalType();
  bool isPointer = false, isArray = false;
  for (;;) {
    type = withoutIterator(context_, type).getCanonicalType();
    if (type->isPointerType() || type->isReferenceType()) {
      if (isPointer) refusals_.add(loc, say::PointerToPointer);
      if (isArray) refusals_.add(loc, say::ArrayOfPointers);
      const clang::QualType pointee = type->getPointeeType();
      const bool isConst = type.isConstQualified() && !declarator.empty();
      declarator = (isConst ? "*const " : "*") + declarator;
      if (pointee->isArrayType()) declarator = "(" + declarator + ")";
      type = pointee;
      isPointer = true;
    } else if (const auto length = lengthOf(type)) {
      declarator += "[" + std::to_string(*length) + "]";
      type = context_.getAsArrayType(type)->getElementType();
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
  if (scalar == Scalar::F16) noteHalf();
  if (scalar != Scalar::None || type->isVoidType()) return scalarName(scalar);
  if (const auto* complexType = type->getAs<clang::ComplexType>()) return complex(complexType, loc);
  if (const auto* recordType = type->getAs<clang::RecordType>()) return record(recordType->getDecl(), loc);
  if (type->isFunctionType() || type->isMemberPointerType())
    refusals_.add(loc, say::PointerToFunctionOrMember);
  else if (type->isVariableArrayType())
    refusals_.add(loc, say::ArrayOfVariableLength);
  else
    refusals_.add(loc, say::TypeNotInOpenCL(type.getUnqualifiedType().getAsString()));
  return "void";
}

void Types::noteHalf() {
  if (!std::exchange(usesHalf_, true)) definitions_ += "typedef ushort muster_half;\n\n";
}

std::string Types::complex(const clang::ComplexType* type, clang::SourceLocation loc) {
  const std::string part = baseName(type->getElementType(), loc);
  std::string& name = complex_[part];
  if (!name.empty()) return name;
  return name = define("complex_" + part, "struct {\n  " + part + " re, im;\n} ");
}

bool Types::isPrintable(const clang::RecordDecl* record, clang::SourceLocation loc) {
  const std::string name = "'" + record->getQualifiedNameAsString() + "'";
  if (!record->isCompleteDefinition()) {
    refusals_.add(loc, say::Incomplete(name));
  } else if (const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(record)) {
    if (!cxx->hasTrivialDestructor())
      refusals_.add(loc, say::HasDestructor(name));
    else if (cxx->isDynamicClass())
      refusals_.add(loc, say::LayoutNotInC(record->getNameAsString()));
    else if (cxx->isLambda())
      refusals_.add(loc, say::UsesLambda);
  }
  return !refusals_.any();
}

std::string Types::record(const clang::RecordDecl* record, clang::SourceLocation loc) {
  if (const clang::RecordDecl* definition = record->getDefinition()) record = definition;
  if (const auto known = records_.find(record); known != records_.end()) return known->second;
  if (!isPrintable(record, loc)) return "void";
  std::string attribute;
  const std::string fields = fieldsOf(record, loc, attribute);
  return records_[record] = define(record->getName().empty() ? "record" : record->getName(),
                                   (record->isUnion() ? "union " : "struct ") + attribute + "{\n" + fields + "} ");
}

// The members, and an attribute where the alignment is not the natural one. NVRTC takes one behind the brace for the
// typedef's alone. Every record has the host's layout: where C would place a member before it is on the host, a padding
// member goes between.
std::string Types::fieldsOf(const clang::RecordDecl* record, clang::SourceLocation loc, std::string& attribute) {
  const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(record);
  const auto roundUp = [](std::uint64_t size, std::uint64_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
  };
  std::uint64_t end = 0, natural = 1;
  std::string fields;
  const auto pad = [&](std::uint64_t from, std::uint64_t to) {
    if (from == to) return;
    fields += "  uchar padding" + std::to_string(from) + "[" + std::to_string(to - from) + "];\n";
    padded_.insert(record);
  };
  std::vector<Part> parts;
  for (const clang::CXXRecordDecl* base : basesWithData(record))
    parts.push_back({compat::recordType(context_, base),
                     static_cast<std::uint64_t>(layout.getBaseClassOffset(base).getQuantity()), this->base(base)});
  for (const clang::FieldDecl* member : record->fields()) {
    if (member->isBitField()) refusals_.add(loc, say::BitField);
    if (member->getType()->isPointerType() || member->getType()->isReferenceType())
      refusals_.add(loc, say::HoldsPointer(nameOf(record)));
    if (member->isZeroSize(context_) || member->getType()->isIncompleteArrayType())
      refusals_.add(loc, say::MemberWithoutSize(nameOf(record)));
    if (refusals_.any()) return "} ";
    // A constant member would make the struct unassignable, which C++ copies by construction.
    clang::QualType type = member->getType();
    if (!type->isArrayType()) type = type.getUnqualifiedType();
    const auto offset = context_.toCharUnitsFromBits(layout.getFieldOffset(member->getFieldIndex())).getQuantity();
    parts.push_back({type, static_cast<std::uint64_t>(offset), field(member)});
  }
  for (const auto& [type, offset, name] : parts) {
    const std::uint64_t alignment = context_.getTypeAlignInChars(type).getQuantity();
    if (roundUp(record->isUnion() ? 0 : end, alignment) > offset)
      refusals_.add(loc, say::LayoutNotInC(record->getNameAsString()));
    else if (!record->isUnion() && roundUp(end, alignment) < offset)
      pad(end, offset);
    const std::uint64_t behind = offset + context_.getTypeSizeInChars(type).getQuantity();
    end = std::max(end, behind), natural = std::max(natural, alignment);
    fields += "  " + declare(type, name, Space::Private, loc) + ";\n";
  }
  if (fields.empty()) return "  char unused;\n";  // C has no empty structs
  const std::uint64_t size = layout.getSize().getQuantity(), alignment = layout.getAlignment().getQuantity();
  if (alignment < natural || roundUp(end, alignment) > size)
    refusals_.add(loc, say::LayoutNotInC(record->getNameAsString()));
  else if (roundUp(end, alignment) < size && !record->isUnion())
    pad(end, size);
  if (alignment > natural) attribute = "__attribute__((aligned(" + std::to_string(alignment) + "))) ";
  return fields;
}

void Types::checkSize(clang::QualType element, clang::SourceLocation loc) {
  const clang::RecordDecl* record = element->getAsRecordDecl();
  if (!record || !checked_.insert(record->getDefinition()).second) return;
  const std::string type = name(element, Space::Private, loc);
  const std::string size = std::to_string(context_.getTypeSizeInChars(element).getQuantity());
  definitions_ += "typedef char " + names_.unique(type + "_has_" + size + "_bytes") + "[sizeof(" + type +
                  ") == " + size + " ? 1 : -1];\n\n";
}

std::string Types::base(const clang::CXXRecordDecl* base) {
  // Classes of one name, of several namespaces or instances of a template, may be bases of one class.
  std::string& name = bases_[base->getCanonicalDecl()];
  const std::string wanted = ("base_" + (base->getName().empty() ? "class" : base->getName())).str();
  if (name.empty())
    name = amongOthers_ ? Names::common(wanted, base->getQualifiedNameAsString()) : names_.unique(wanted);
  return name;
}

std::vector<const clang::CXXRecordDecl*> Types::basesWithData(const clang::RecordDecl* record) {
  std::vector<const clang::CXXRecordDecl*> found;
  if (const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(record))
    for (const clang::CXXBaseSpecifier& base : cxx->bases())
      if (const auto* type = base.getType()->getAsCXXRecordDecl(); type && !type->isEmpty()) found.push_back(type);
  return found;
}

std::string Types::field(const clang::FieldDecl* field) {
  if (field->getName().empty()) return "field" + std::to_string(field->getFieldIndex());
  return Names::legal(field->getName());
}

}  // namespace muster::plugin::lower
