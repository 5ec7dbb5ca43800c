// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that the compiler knows, as literals and as initialisers of tables.
#include "lower/types/Constants.h"
#include "source/Compat.h"

namespace muster::plugin::lower {

namespace {

ir::Expression arrayInitialiser(Program& program, const clang::APValue& value, clang::QualType element) {
  const unsigned known = value.getArrayInitializedElts();
  std::vector<ir::Expression> parts;
  for (unsigned i = 0; i < value.getArraySize(); ++i) {
    parts.push_back(
        constantInitialiser(program, i < known ? value.getArrayInitializedElt(i) : value.getArrayFiller(), element));
    if (!parts.back()) return {};
  }
  return ir::braces(std::move(parts));
}

ir::Expression structInitialiser(Program& program, const clang::APValue& value, const clang::RecordDecl* record) {
  std::vector<ir::Expression> parts;
  program.types.name(compat::recordType(program.context, record), Space::Private, record->getLocation());
  const bool isPadded = program.types.isPadded(record);
  const auto add = [&](const clang::APValue& part, clang::QualType type, const std::string& name) {
    const ir::Expression given = constantInitialiser(program, part, type);
    parts.push_back(given && isPadded ? ir::designated(name, given) : given);
    return static_cast<bool>(given);
  };
  const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(record);
  for (unsigned i = 0; cxx && i < value.getStructNumBases(); ++i) {
    const clang::QualType type = (cxx->bases_begin() + i)->getType();
    const clang::CXXRecordDecl* base = type->getAsCXXRecordDecl();
    if (!base->isEmpty() && !add(value.getStructBase(i), type, program.types.base(base))) return {};
  }
  for (const clang::FieldDecl* field : record->fields())
    if (!add(value.getStructField(field->getFieldIndex()), field->getType(), program.types.field(field))) return {};
  if (parts.empty()) parts.push_back(ir::literal("0"));
  return ir::braces(std::move(parts));
}

}  // namespace

std::optional<ir::Expression> scalarConstant(Program& program, const clang::APValue& value, clang::QualType type) {
  const Scalar scalar = scalarOf(program.context, type);
  if (scalar == Scalar::None) return std::nullopt;
  if (scalar == Scalar::F64) program.types.noteFp64();
  if (value.isInt()) return integerText(value.getInt(), scalar);
  if (value.isFloat()) return floatText(value.getFloat(), scalar);
  return std::nullopt;
}

std::optional<ir::Expression> storedConstant(Program& program, const clang::APValue& value, clang::QualType type) {
  if (isHalf(type) && value.isFloat()) return ir::literal(halfConstantBits(value.getFloat()));
  return scalarConstant(program, value, type);
}

ir::Expression constantInitialiser(Program& program, const clang::APValue& value, clang::QualType type) {
  if (value.isArray()) {
    const auto* array = program.context.getAsArrayType(type);
    return array ? arrayInitialiser(program, value, array->getElementType()) : ir::Expression();
  }
  if (value.isStruct()) {
    const auto* record = type->getAsRecordDecl();
    return record ? structInitialiser(program, value, record) : ir::Expression();
  }
  if (value.isComplexFloat()) {
    const clang::QualType part = type->castAs<clang::ComplexType>()->getElementType();
    const ir::Expression real = constantInitialiser(program, clang::APValue(value.getComplexFloatReal()), part);
    const ir::Expression imaginary = constantInitialiser(program, clang::APValue(value.getComplexFloatImag()), part);
    return real && imaginary ? ir::braces({real, imaginary}) : ir::Expression();
  }
  // A NaN has no constant spelling that keeps its bits.
  if (value.isFloat() && value.getFloat().isNaN()) return {};
  return storedConstant(program, value, type).value_or(ir::Expression());
}

}  // namespace muster::plugin::lower
