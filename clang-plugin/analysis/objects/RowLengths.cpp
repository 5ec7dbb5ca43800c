// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/objects/RowLengths.h"

#include "analysis/objects/Objects.h"

namespace muster::plugin {

using namespace clang;

// An identifier for the array; a member's own name is the path to it.
static std::string idOf(const LoopFacts& facts, const VarDecl* array) {
  const ObjectMember* member = facts.objects->find(array);
  return member ? member->name : array->getNameAsString();
}

static std::string nameOf(const LoopFacts& facts, const VarDecl* array, unsigned level) {
  return "muster_length_" + idOf(facts, array) + "_" + std::to_string(level);
}

static const char* const numberNames[] = {"length", "first", "last", "size"};  // members of muster_rows

static std::string nameOf(const LoopFacts& facts, const VarDecl* array, RowNumber number, unsigned level) {
  if (number == RowNumber::Length) return nameOf(facts, array, level);
  return std::string("muster_") + numberNames[static_cast<int>(number)] + "_" + idOf(facts, array) +
         (level > 0 ? "_" + std::to_string(level) : "");
}

static const VarDecl* makeNumber(ASTContext& ast, const LoopFacts& facts, const VarDecl* array,
                                 const std::string& name) {
  const SourceLocation loc = array->getLocation();
  VarDecl* number = VarDecl::Create(ast, const_cast<FunctionDecl*>(facts.function), loc, loc, &ast.Idents.get(name),
                                    ast.getIntTypeForBitwidth(64, 1), nullptr, SC_Auto);
  number->setImplicit();
  return number;
}

static std::optional<unsigned> findNumber(const LoopFacts& facts, const std::string& name) {
  for (unsigned i = 0; i < facts.scalars.size(); ++i)
    if (const VarDecl* var = facts.scalars[i].var; var->isImplicit() && var->getName() == name) return i;
  return std::nullopt;
}

const VarDecl* makeRowLength(ASTContext& ast, const LoopFacts& facts, const VarDecl* array, unsigned level) {
  return makeNumber(ast, facts, array, nameOf(facts, array, level));
}

std::optional<unsigned> rowLength(const LoopFacts& facts, const ArrayFact& array, unsigned level) {
  if (array.extents[level] != unknownLength) return std::nullopt;
  return findNumber(facts, nameOf(facts, array.var, level));
}

const VarDecl* makeRowNumber(ASTContext& ast, const LoopFacts& facts, const VarDecl* array, RowNumber number,
                             unsigned level) {
  return makeNumber(ast, facts, array, nameOf(facts, array, number, level));
}

std::optional<unsigned> rowNumber(const LoopFacts& facts, const ArrayFact& array, RowNumber number, unsigned level) {
  return findNumber(facts, nameOf(facts, array.var, number, level));
}

QualType firstOf(const VarDecl* array) {
  const QualType type = array->getType().getNonReferenceType();
  return type->isPointerType() ? type->getPointeeType() : type->getAsArrayTypeUnsafe()->getElementType();
}

const VarDecl* makeElementsBehind(ASTContext& ast, const LoopFacts& facts, const VarDecl* table) {
  const SourceLocation loc = table->getLocation();
  VarDecl* elements = VarDecl::Create(ast, const_cast<FunctionDecl*>(facts.function), loc, loc,
                                      &ast.Idents.get(idOf(facts, table) + "_elements"),
                                      firstOf(table).getUnqualifiedType(), nullptr, SC_Auto);
  elements->setImplicit();
  return elements;
}

unsigned elementsBehind(const LoopFacts& facts, const VarDecl* table) {
  return llvm::find_if(facts.arrays, [&](const ArrayFact& array) { return array.table == table; }) -
         facts.arrays.begin();
}

static constexpr const char* rowsPrefix = "muster_rows_";

std::string rowsName(const LoopFacts& facts, const ArrayFact& array) {
  return rowsPrefix + idOf(facts, array.table ? array.table : array.var);
}

bool isRowsLength(llvm::StringRef text) { return text.starts_with(rowsPrefix); }

// Of what the launch found out about tables.
static std::string foundText(const LoopFacts& facts, const ArrayFact& array, const VarDecl* scalar) {
  for (unsigned level = 0; level < array.tableLevels(); ++level)
    for (RowNumber number : {RowNumber::Length, RowNumber::First, RowNumber::Last, RowNumber::Size})
      if (scalar->getName() == nameOf(facts, array.var, number, level))
        return rowsName(facts, array) +
               (array.extents.size() > 1 ? ".level[" + std::to_string(level) + "]." : std::string(".")) +
               numberNames[static_cast<int>(number)];
  return "";
}

std::string rowLengthText(const LoopFacts& facts, const VarDecl* scalar) {
  if (!scalar->isImplicit()) return "";
  for (const ArrayFact& array : facts.arrays) {
    if (array.isTable()) {
      if (std::string text = foundText(facts, array, scalar); !text.empty()) return text;
      continue;
    }
    for (unsigned level = 0; level < array.extents.size(); ++level) {
      if (array.extents[level] != unknownLength || scalar->getName() != nameOf(facts, array.var, level)) continue;
      std::string row = array.var->getNameAsString();
      for (unsigned i = 0; i <= level; ++i) row += "[0]";
      return "(int64_t)(sizeof(" + row + ") / sizeof(" + row + "[0]))";
    }
  }
  return "";
}

}  // namespace muster::plugin
