// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows as parameters of a launch.
#include "analysis/objects/RowLengths.h"
#include "analysis/references/Parameters.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

void Parameters::addRowLength(ArrayFact& fact) {
  const VarDecl* length = makeRowLength(context_.ast, context_.facts, fact.var, fact.extents.size());
  context_.facts.scalars.push_back({length});
  context_.roles[length] = Role::Scalar;
  fact.extents.push_back(unknownLength);
}

bool Parameters::isTable(const VarDecl* var) const {
  const auto array = context_.arrayOf.find(var);
  return array != context_.arrayOf.end() && context_.facts.arrays[array->second].isTable();
}

void Parameters::addRowPointers(ArrayFact& fact) {
  if (fact.byPointers) return;
  fact.byPointers = true;
  std::vector<RowNumber> numbers = {RowNumber::First, RowNumber::Last};
  if (!rowVectorElement(fact.var->getType()).isNull()) {
    context_.facts.scalars.push_back({.var = fact.var, .vectorSize = true});
    numbers.push_back(RowNumber::Size);
  }
  for (unsigned level = 0; level < fact.tableLevels(); ++level)
    for (const RowNumber number : numbers) {
      const VarDecl* scalar = makeRowNumber(context_.ast, context_.facts, fact.var, number, level);
      context_.facts.scalars.push_back({scalar});
      context_.roles[scalar] = Role::Scalar;
    }
}

// What native code makes of a vector of vectors, and of each row, as all standard libraries do.
static bool isOfThreePointers(const ASTContext& ast, QualType vectors) {
  const auto bytes = [&](QualType type) { return ast.getTypeSizeInChars(type.getNonReferenceType()); };
  return bytes(vectors) == 3 * bytes(ast.VoidPtrTy) && bytes(vectorElement(vectors)) == 3 * bytes(ast.VoidPtrTy);
}

bool Parameters::addTable(SourceLocation loc, const VarDecl* var, bool byPointers) {
  byPointers |= !rowVectorElement(var->getType()).isNull();
  if (isTable(var)) {
    if (byPointers) addRowPointers(context_.facts.arrays[context_.arrayOf.at(var)]);
    return true;
  }
  const std::string name = "'" + var->getNameAsString() + "'";
  if (context_.assignedTables.count(var) && context_.unevenRows)
    return context_.refuse(loc, say::AssignsAndUsesTable(name));
  if (context_.roles.count(var)) return context_.refuse(loc, say::EachThreadHasOwn(name));
  if (context_.objects().find(var) && !checkMember(loc, var)) return false;
  if (isThreadLocal(var)) return context_.refuse(loc, say::ThreadLocalVariable(name));
  ArrayFact fact;
  fact.var = var;
  fact.form = ArrayForm::Rows;
  fact.element = rowElement(var->getType()).getUnqualifiedType();
  if (const std::string reason = canBeElement(context_.ast, fact.element); !reason.empty())
    return context_.refuse(loc, say::ElementsCannotBeManaged(name, fact.element.getAsString(), reason));
  if (!rowVectorElement(var->getType()).isNull() && !isOfThreePointers(context_.ast, var->getType()))
    return context_.refuse(loc, say::RowsWithOwnAllocator(name));
  context_.tables = std::max(context_.tables, TableUse::Rows);
  if (context_.unevenRows) return addStarts(loc, std::move(fact));
  while (fact.extents.size() < rowLevels(var->getType())) addRowLength(fact);
  if (byPointers) addRowPointers(fact);
  context_.arrayOf[var] = context_.facts.arrays.size();
  context_.facts.arrays.push_back(fact);
  context_.roles[var] = Role::Array;
  return true;
}

// The table as numbers of elements, and the array that has the elements.
bool Parameters::addStarts(SourceLocation loc, ArrayFact table) {
  const VarDecl* var = table.var;
  const QualType type = var->getType().getNonReferenceType();
  if (rowLevels(type) != 1 || !rowVectorElement(type).isNull()) return refuseTable(loc, var);
  ArrayFact elements;
  elements.var = makeElementsBehind(context_.ast, context_.facts, var);
  elements.table = var;
  elements.element = table.element;
  table.form = ArrayForm::Starts;
  table.element = context_.ast.getIntTypeForBitwidth(64, 1);
  addRowPointers(table);
  for (const ArrayFact& fact : {table, elements}) {
    context_.arrayOf[fact.var] = context_.facts.arrays.size();
    context_.facts.arrays.push_back(fact);
    context_.roles[fact.var] = Role::Array;
  }
  return true;
}

// What is made of a table beyond its rows is followed where its entries are numbers.
bool Parameters::useAsTable(SourceLocation loc, const VarDecl* var) {
  if (context_.unevenRows && context_.assignedTables.count(var)) return addAddresses(var);
  if (context_.unevenRows) return addTable(loc, var, true);
  context_.tables = TableUse::Whole;
  return refuseTable(loc, var);
}

bool Parameters::refuseTable(SourceLocation loc, const VarDecl* var) {
  const std::string name = "'" + var->getNameAsString() + "'";
  return context_.refuse(loc, say::TableForMoreThanRows(name));
}

}  // namespace muster::plugin
