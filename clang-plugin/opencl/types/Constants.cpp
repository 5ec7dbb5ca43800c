// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that the compiler knows, as literals and as initialisers of tables.
#include "opencl/types/Constants.h"
#include "source/Compat.h"

namespace muster::plugin::opencl {

namespace {

std::string arrayInitialiser(Program& program, const clang::APValue& value, clang::QualType element) {
  const unsigned known = value.getArrayInitializedElts();
  std::string text;
  for (unsigned i = 0; i < value.getArraySize(); ++i) {
    const std::string part =
        constantInitialiser(program, i < known ? value.getArrayInitializedElt(i) : value.getArrayFiller(), element);
    if (part.empty()) return "";
    text += (i ? ", " : "") + part;
  }
  return "{" + text + "}";
}

std::string structInitialiser(Program& program, const clang::APValue& value, const clang::RecordDecl* record) {
  std::string text;
  program.types.name(compat::recordType(program.context, record), Space::Private, record->getLocation());
  const bool isPadded = program.types.isPadded(record);
  const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(record);
  for (unsigned i = 0; cxx && i < value.getStructNumBases(); ++i) {
    const clang::QualType type = (cxx->bases_begin() + i)->getType();
    const clang::CXXRecordDecl* base = type->getAsCXXRecordDecl();
    if (base->isEmpty()) continue;
    const std::string part = constantInitialiser(program, value.getStructBase(i), type);
    if (part.empty()) return "";
    text += (text.empty() ? "" : ", ") + (isPadded ? "." + program.types.base(base) + " = " : "") + part;
  }
  for (const clang::FieldDecl* field : record->fields()) {
    const std::string part =
        constantInitialiser(program, value.getStructField(field->getFieldIndex()), field->getType());
    if (part.empty()) return "";
    text += (text.empty() ? "" : ", ") + (isPadded ? "." + program.types.field(field) + " = " : "") + part;
  }
  return "{" + (text.empty() ? "0" : text) + "}";
}

}  // namespace

std::optional<Text> scalarConstant(Program& program, const clang::APValue& value, clang::QualType type) {
  const Scalar scalar = scalarOf(program.context, type);
  if (scalar == Scalar::None) return std::nullopt;
  if (scalar == Scalar::F64) program.types.noteFp64();
  if (value.isInt()) return integerText(value.getInt(), scalar);
  if (value.isFloat()) return floatText(value.getFloat(), scalar);
  return std::nullopt;
}

std::optional<Text> storedConstant(Program& program, const clang::APValue& value, clang::QualType type) {
  if (isHalf(type) && value.isFloat()) return Text(halfConstantBits(value.getFloat()));
  return scalarConstant(program, value, type);
}

std::string constantInitialiser(Program& program, const clang::APValue& value, clang::QualType type) {
  if (value.isArray()) {
    const auto* array = program.context.getAsArrayType(type);
    return array ? arrayInitialiser(program, value, array->getElementType()) : "";
  }
  if (value.isStruct()) {
    const auto* record = type->getAsRecordDecl();
    return record ? structInitialiser(program, value, record) : "";
  }
  if (value.isComplexFloat()) {
    const clang::QualType part = type->castAs<clang::ComplexType>()->getElementType();
    const std::string real = constantInitialiser(program, clang::APValue(value.getComplexFloatReal()), part);
    const std::string imaginary = constantInitialiser(program, clang::APValue(value.getComplexFloatImag()), part);
    return real.empty() || imaginary.empty() ? "" : "{" + real + ", " + imaginary + "}";
  }
  // A NaN has no constant spelling that keeps its bits.
  if (value.isFloat() && value.getFloat().isNaN()) return "";
  const auto text = storedConstant(program, value, type);
  return text ? text->at(Prec::Assignment) : "";
}

}  // namespace muster::plugin::opencl
