// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelMemory.h"

#include <map>
#include <memory>

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

}  // namespace muster::plugin::lower
