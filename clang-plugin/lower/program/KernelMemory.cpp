// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelMemory.h"

#include <map>
#include <memory>

#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin::lower {

const ArrayFact* arrayNamed(const Program& program, Scope& scope, const std::string& name) {
  for (const ArrayFact& array : program.facts.arrays)
    if (scope.variable(array.var) == name) return &array;
  return nullptr;
}

bool mayWiden(const Program& program, unsigned scalar) {
  const clang::QualType type = program.argumentType(program.facts.scalars[scalar].var);
  return !type->isUnsignedIntegerType() || program.context.getTypeSize(type) != 32;
}

bool isOnlyRead(const Program& program, Scope& scope, const std::string& name) {
  const ArrayFact* array = arrayNamed(program, scope, name);
  return array && !array->written && !array->updated;
}

bool isPlain(const Program& program, const Scope& scope, const Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  return facts.results.empty() && facts.records.empty() && facts.firstprivates.empty() && !schedule.isStrided &&
         schedule.privatized.empty() && !scope.ends();
}

passes::Memory::Numbers numbersOf(const Program& program, const ArrayFact& array) {
  passes::Memory::Numbers numbers;
  const clang::QualType seen = program.argumentType(array.var);
  if (!seen->isPointerType()) return numbers;
  clang::QualType inner = seen->getPointeeType();
  while (const auto* rows = program.context.getAsConstantArrayType(inner)) {
    numbers.lengths.push_back(rows->getSize().getZExtValue());
    inner = rows->getElementType();
  }
  numbers.isConst = inner.isConstQualified();
  const Scalar scalar = scalarOf(program.context, array.element);
  const bool isNumber = scalar != Scalar::None && scalar != Scalar::F16 && !inner->isBooleanType() &&
                        !inner.isVolatileQualified() && !array.updated &&
                        program.context.hasSameUnqualifiedType(inner, array.element);
  if (isNumber) numbers.type = scalarName(scalar), numbers.bytes = bitsOf(scalar) / 8;
  return numbers;
}

passes::Memory memoryOf(const Program& program, Scope& scope, llvm::function_ref<int(const std::string&)> constantOf) {
  // Passes ask for each name of the code, again and again.
  const auto arrays = std::make_shared<std::map<std::string, passes::Memory::Numbers>>();
  for (const ArrayFact& array : program.facts.arrays)
    arrays->emplace(scope.variable(array.var), numbersOf(program, array));
  passes::Memory memory;
  memory.constantOf = constantOf;
  memory.isArray = [arrays](const std::string& name) { return arrays->count(name) != 0; };
  memory.numbersOf = [arrays](const std::string& name) { return arrays->at(name); };
  return memory;
}

namespace {

constexpr std::uint64_t kLongestRecord = 128;
constexpr std::uint64_t kLongestMember = 8;  // of the elements of an array in a record

// False: a part has another place than its name says, or may be of several types.
bool addMembers(Program& program, clang::QualType type, const std::string& member, std::uint64_t at,
                passes::RecordLayout& layout) {
  const clang::ASTContext& context = program.context;
  const auto sizeOf = [&](clang::QualType part) -> std::uint64_t {
    return context.getTypeSizeInChars(part).getQuantity();
  };
  if (type.isVolatileQualified()) return false;
  if (const auto* complex = type->getAs<clang::ComplexType>()) {
    const std::uint64_t bytes = sizeOf(complex->getElementType());
    layout.members[member + ".re"] = {at, bytes}, layout.members[member + ".im"] = {at + bytes, bytes};
    return true;
  }
  if (const auto* array = context.getAsConstantArrayType(type)) {
    const std::uint64_t count = array->getSize().getZExtValue(), bytes = sizeOf(array->getElementType());
    for (std::uint64_t i = 0; i < count && count <= kLongestMember; ++i)
      if (!addMembers(program, array->getElementType(), member + "[" + std::to_string(i) + "]", at + i * bytes, layout))
        return false;
    return count <= kLongestMember;
  }
  const clang::RecordDecl* record = type->getAsRecordDecl();
  if (!record) {
    layout.members[member] = {at, sizeOf(type)};
    return true;
  }
  if (record->isUnion() || !Types::basesWithData(record).empty()) return false;
  const clang::ASTRecordLayout& places = context.getASTRecordLayout(record);
  return llvm::all_of(record->fields(), [&](const clang::FieldDecl* field) {
    const std::uint64_t offset = places.getFieldOffset(field->getFieldIndex()) / context.getCharWidth();
    return addMembers(program, field->getType(), member + "." + program.types.field(field), at + offset, layout);
  });
}

}  // namespace

std::map<std::string, passes::RecordLayout> recordsOf(Program& program, Scope& scope) {
  std::map<std::string, passes::RecordLayout> records;
  for (const ArrayFact& array : program.facts.arrays) {
    const clang::QualType seen = program.argumentType(array.var), element = array.element.getUnqualifiedType();
    const bool isRecord = element->isRecordType() || element->isAnyComplexType();
    if (!isRecord || array.updated || !seen->isPointerType() || seen->getPointeeType().isVolatileQualified() ||
        !program.context.hasSameUnqualifiedType(seen->getPointeeType(), element))
      continue;
    passes::RecordLayout layout;
    layout.bytes = program.context.getTypeSizeInChars(element).getQuantity();
    if (layout.bytes > kLongestRecord || layout.bytes % 8 != 0 || !addMembers(program, element, "", 0, layout))
      continue;
    layout.type = program.types.name(element, Space::Private, array.var->getLocation());
    records.emplace(scope.variable(array.var), std::move(layout));
  }
  return records;
}

}  // namespace muster::plugin::lower
