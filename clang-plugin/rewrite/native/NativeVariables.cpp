// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/native/NativeVariables.h"

#include "analysis/objects/RowLengths.h"
#include "analysis/objects/RowTables.h"
#include "muster/abi.h"
#include "rewrite/launch/LaunchText.h"
#include "rewrite/native/CopiedCallees.h"
#include "rewrite/native/GlobalNames.h"
#include "source/LibraryTypes.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// An object or an array of a known size: a reference to it, in C a copy, and a pointer to the array's first row.
void NativeVariables::declareWhole(const VarDecl* var, const std::string& address) {
  const QualType type = var->getType().getNonReferenceType();
  if (dialect_.isC() && type->isRecordType()) {
    const std::string plain = spelling_.type(type.getUnqualifiedType());
    code_.line(plain + " " + name(var) + " = *" + dialect_.cast("const " + plain + " *", address) + ";");
    return;
  }
  if (dialect_.isC()) {
    const QualType row = context_.getPointerType(context_.getAsArrayType(type)->getElementType());
    code_.line(spelling_.declare(row, name(var)) + " = " + dialect_.cast(spelling_.type(row), address) + ";");
    return;
  }
  const RecordDecl* record = type->getAsRecordDecl();
  const bool isUnnamed = record && !record->getIdentifier() && !record->getTypedefNameForAnonDecl();
  if ((spelling_.inTemplate() || isUnnamed) && !facts_.objects->find(var)) {
    const std::string whole = "typename std::remove_reference<decltype(" + name(var) + ")>::type";
    code_.line(whole + " &" + name(var) + " = *" + dialect_.cast(whole + " *", address) + ";");
    return;
  }
  code_.line(spelling_.declare(context_.getLValueReferenceType(type), name(var)) + " = *" +
             dialect_.cast(spelling_.type(context_.getPointerType(type)), address) + ";");
}

// An object or an array that each thread has a copy of.
void NativeVariables::declareCopy(const VarDecl* var, const std::string& address) {
  const QualType type = context_.getUnqualifiedArrayType(var->getType());
  const std::string plain = spelling_.inTemplate() ? spelling_.valueType(var) + " " + name(var)
                                                   : spelling_.declare(type.getUnqualifiedType(), name(var));
  if (type->isRecordType())
    code_.line(plain + " = *" + dialect_.cast("const " + spelling_.valueType(var) + " *", address) + ";");
  else
    code_.line(plain + "; __builtin_memcpy(" + name(var) + ", " + address + ", sizeof(" + name(var) + "));");
  firstprivate_.push_back(name(var));
}

// A pointer to rows whose lengths came with the launch.
void NativeVariables::declareRows(const ArrayFact& array, const std::string& address) {
  std::string element;
  if (array.form != ArrayForm::Rows)
    element = spelling_.type(context_.getBaseElementType(firstOf(array.var)));
  else if (spelling_.inTemplate()) {
    element = "typename std::decay<decltype(" + name(array.var) + ")>::type";
    for (std::size_t level = 0; level <= array.extents.size(); ++level)
      element = "typename std::remove_pointer<" + element + ">::type";
  } else
    element = spelling_.type(rowElement(array.var->getType()));
  std::string rows;
  for (unsigned level = 0; level < array.extents.size(); ++level) {
    const auto length = rowLength(facts_, array, level);
    rows += "[" +
            (length ? "*(const int64_t *)muster_c->scalars[" + std::to_string(*length) + "]"
                    : std::to_string(array.extents[level])) +
            "]";
  }
  // One type for both sides: to C++ two arrays whose length only the run knows are never of one type.
  const std::string row = "muster_row_" + name(array.var);
  code_.line("typedef " + element + " " + row + rows + ";");
  code_.line(row + " *" + name(array.var) + " = (" + row + " *)" + address + ";");
  firstprivate_.push_back(name(array.var));
}

// A table of pointers to the rows, as the user's.
void NativeVariables::declareRowPointers(const ArrayFact& array, const std::string& address) {
  const auto number = [&](RowNumber which, unsigned level = 0) {
    return "*(const int64_t *)muster_c->scalars[" + std::to_string(*rowNumber(facts_, array, which, level)) + "]";
  };
  if (!rowVectorElement(array.var->getType()).isNull()) return declareRowVectors(array, address);
  QualType type = array.var->getType().getNonReferenceType().getUnqualifiedType();
  if (type->isArrayType()) type = context_.getArrayDecayedType(type);
  const QualType element = rowElement(array.var->getType());
  const bool named = spelling_.inTemplate() && !facts_.objects->find(array.var);
  const std::string table =
      named ? "typename std::decay<decltype(" + name(array.var) + ")>::type" : spelling_.type(type);
  const auto bytes = context_.getTypeSizeInChars(element).getQuantity();
  const bool isUneven = array.form == ArrayForm::Starts;
  std::string pointers = isUneven ? "muster_start_pointers(muster_c->arrays[" +
                                        std::to_string(elementsBehind(facts_, array.var)) + "], " + address + ", "
                                  : "muster_row_pointers(" + address + ", " + number(RowNumber::Length) + " * ";
  pointers += std::to_string(bytes) + ", " + number(RowNumber::First) + ", " + number(RowNumber::Last) + ")";
  if (const std::size_t levels = array.extents.size(); levels > 1) {
    const std::string list = "muster_levels_" + name(array.var);
    std::vector<std::string> entries;
    for (unsigned level = 0; level < levels; ++level)
      entries.push_back("{" + number(RowNumber::Length, level) + ", " + number(RowNumber::First, level) + ", " +
                        number(RowNumber::Last, level) + "}");
    writeTable(code_, "const muster_row_level", list, entries);
    pointers = "muster_table_pointers(" + address + ", " + std::to_string(bytes) + ", " + std::to_string(levels) +
               ", " + list + ")";
  }
  code_.line((named ? table + " " + name(array.var) : spelling_.declare(type, name(array.var))) + " = (" + table + ")" +
             pointers + ";");
  firstprivate_.push_back(name(array.var));
}

// Rows and the table as the vectors that the user's text knows. A member's is made in its object's stand-in.
void NativeVariables::declareRowVectors(const ArrayFact& array, const std::string& address) {
  std::string numbers;
  for (const RowNumber which : {RowNumber::Length, RowNumber::Size, RowNumber::First, RowNumber::Last})
    numbers += ", *(const int64_t *)muster_c->scalars[" + std::to_string(*rowNumber(facts_, array, which)) + "]";
  const auto isSize = [&](const ScalarFact& scalar) { return scalar.vectorSize && scalar.var == array.var; };
  const auto size = llvm::find_if(facts_.scalars, isSize) - facts_.scalars.begin();
  const bool isMember = facts_.objects->find(array.var) != nullptr;
  const std::string table = name(array.var) + "_table";
  const std::string type = "typename std::remove_reference<decltype(" + name(array.var) + ")>::type";
  const std::string element =
      isMember || !spelling_.inTemplate() ? spelling_.type(array.element) : type + "::value_type::value_type";
  code_.line("::muster::RowVectors<" + element + "> " + table + "(" + address + numbers +
             ", *(const std::size_t *)muster_c->scalars[" + std::to_string(size) + "]);");
  if (!isMember) code_.line(type + " &" + name(array.var) + " = *(" + type + " *)" + table + ".vector();");
}

void NativeVariables::endRowPointers() {
  for (const ArrayFact& array : facts_.arrays) {
    if (!array.byPointers || !rowVectorElement(array.var->getType()).isNull()) continue;
    const auto number = [&](RowNumber which) {
      return ", *(const int64_t *)muster_c->scalars[" + std::to_string(*rowNumber(facts_, array, which)) + "]";
    };
    const bool isUneven = array.form == ArrayForm::Starts;
    code_.line((isUneven ? "muster_start_pointers_end((void *)" : "muster_row_pointers_end((void *)") +
               name(array.var) + number(RowNumber::First) + (isUneven ? number(RowNumber::Last) : "") + ");");
  }
}

void NativeVariables::declarePointer(const ArrayFact& array, const std::string& address) {
  const QualType first = firstOf(array.var);
  // The user's text names a member in its object's stand-in, which has the type.
  if (facts_.objects->find(array.var) && first->isRecordType()) {
    code_.line("void *" + name(array.var) + " = " + address + ";");
    firstprivate_.push_back(name(array.var));
    return;
  }
  const bool isReduced = llvm::any_of(facts_.sections, [&](const auto& section) { return section.var == array.var; });
  const std::string cast =
      spelling_.inTemplate() ? spelling_.valueType(array.var) : spelling_.type(context_.getPointerType(first));
  code_.line((spelling_.inTemplate() ? cast + " " + name(array.var)
                                     : spelling_.declare(context_.getPointerType(first), name(array.var))) +
             " = " + dialect_.cast(cast, address) + ";");
  if (!isReduced) firstprivate_.push_back(name(array.var));
}

void NativeVariables::declareVector(const ArrayFact& array, const std::string& address) {
  const QualType type = array.var->getType().getNonReferenceType();
  const QualType element = type.isConstQualified() ? array.element.withConst() : array.element;
  const std::string pointer = spelling_.type(context_.getPointerType(element));
  std::string size = "0";
  for (unsigned s = 0; s < facts_.scalars.size(); ++s)
    if (facts_.scalars[s].vectorSize && facts_.scalars[s].var == array.var)
      size = "*static_cast<const std::size_t *>(muster_c->scalars[" + std::to_string(s) + "])";
  if (facts_.objects->find(array.var)) {
    code_.line(spelling_.declare(context_.getPointerType(element), name(array.var)) + " = static_cast<" + pointer +
               ">(" + address + ");");
    code_.line("const std::size_t " + name(array.var) + "_size = " + size + ";");
    firstprivate_.push_back(name(array.var) + "_size");
  } else {
    code_.line("const ::muster::VectorView<" + spelling_.type(element) + "> " + name(array.var) + "(static_cast<" +
               pointer + ">(" + address + "), " + size + ");");
  }
  firstprivate_.push_back(name(array.var));
}

void NativeVariables::declareArrays() {
  for (unsigned i = 0; i < facts_.arrays.size(); ++i) {
    const ArrayFact& array = facts_.arrays[i];
    const std::string slot = "muster_c->arrays[" + std::to_string(i) + "]";
    if (array.table) continue;  // the table's pointers lead there
    switch (array.form) {
      case ArrayForm::Pointer:
      case ArrayForm::PointerToArray:
        hasUnknownLengths(array) ? declareRows(array, slot) : declarePointer(array, slot);
        break;
      case ArrayForm::Rows:
        array.byPointers ? declareRowPointers(array, slot) : declareRows(array, slot);
        break;
      case ArrayForm::Starts:
        declareRowPointers(array, slot);
        break;
      case ArrayForm::ConstantArray:
        declareWhole(array.var, slot);
        break;
      case ArrayForm::Vector:
        declareVector(array, slot);
        break;
    }
  }
}

void NativeVariables::declareCallees() {
  for (std::string& array : declareCalleeArrays(spelling_, facts_, code_)) firstprivate_.push_back(std::move(array));
}

void NativeVariables::declareScalars() {
  for (unsigned i = 0; i < facts_.scalars.size(); ++i) {
    const ScalarFact& scalar = facts_.scalars[i];
    const bool own =
        std::find(facts_.firstprivates.begin(), facts_.firstprivates.end(), scalar.var) != facts_.firstprivates.end();
    // What others read under its own name has the launch's value there, by the runtime.
    const bool isLength = !rowLengthText(facts_, scalar.var).empty();
    if (scalar.vectorSize || isLength || (keepsGlobalName(facts_, scalar) && !own)) continue;
    const std::string value = "muster_c->scalars[" + std::to_string(i) + "]";
    if (scalar.byValue && own) {
      declareCopy(scalar.var, value);
      continue;
    }
    if (scalar.byValue) {
      declareWhole(scalar.var, dialect_.isC() ? value : "const_cast<void *>(" + value + ")");
      continue;
    }
    const std::string type = spelling_.scalarType(scalar.var);
    code_.line(type + " " + name(scalar.var) + " = *" + dialect_.cast("const " + type + " *", value) + ";");
    firstprivate_.push_back(name(scalar.var));
  }
  for (const VarDecl* var : facts_.constants)
    if (!isVisibleInFile(var))
      code_.line(std::string(dialect_.constant()) + " " + spelling_.scalarType(var) + " " + name(var) + " = " +
                 spelling_.constant(var) + ";");
  for (const VarDecl* var : facts_.tables)
    if (!isVisibleInFile(var))
      code_.line("static " + spelling_.declare(var->getType(), name(var)) + " = " + spelling_.constant(var) + ";");
}

void NativeVariables::declareResults() {
  for (const ResultFact& result : facts_.results) {
    const bool hasValue =
        std::find(facts_.firstprivates.begin(), facts_.firstprivates.end(), result.var) != facts_.firstprivates.end();
    if (hasValue || result.isBoxed()) continue;
    const std::string type = spelling_.scalarType(result.var);
    code_.line(
        type + " " + name(result.var) + " = " +
        dialect_.cast(type, identityOf(spelling_, result.kind, result.var->getType().getNonReferenceType(), type)) +
        ";");
  }
}

void NativeVariables::declarePrivates() {
  for (const VarDecl* var : facts_.privates)
    if (!isOfIteration(var))
      code_.line((spelling_.inTemplate() ? spelling_.valueType(var) + " " + name(var)
                                         : spelling_.declare(var->getType().getNonReferenceType(), name(var))) +
                 ";");
}

// Clang 19 does not instantiate `private` of a class in a method of a local class of a template.
bool NativeVariables::isOfIteration(const VarDecl* var) const {
  return !dialect_.isC() && var->getType().getNonReferenceType()->isRecordType();
}

// Memory alone: the body gives them their values, or OpenMP says that they have none.
void NativeVariables::declareOfIteration() {
  for (const VarDecl* var : facts_.privates) {
    if (!isOfIteration(var)) continue;
    const std::string own = "muster_own_" + name(var);
    // It may have no name.
    const std::string type =
        "typename std::remove_cv<typename std::remove_reference<decltype(" + name(var) + ")>::type>::type";
    code_.line("::muster::StandIn<" + type + "> " + own + ";");
    code_.line(type + " &" + name(var) + " = *" + own + ".pointer();");
  }
}

}  // namespace muster::plugin
