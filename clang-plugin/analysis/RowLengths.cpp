// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RowLengths.h"

namespace muster::plugin {

using namespace clang;

static std::string nameOf(const VarDecl* array, unsigned level) {
  return "muster_length_" + array->getNameAsString() + "_" + std::to_string(level);
}

const VarDecl* makeRowLength(ASTContext& ast, const LoopFacts& facts, const VarDecl* array, unsigned level) {
  const SourceLocation loc = array->getLocation();
  VarDecl* length =
      VarDecl::Create(ast, const_cast<FunctionDecl*>(facts.function), loc, loc, &ast.Idents.get(nameOf(array, level)),
                      ast.getIntTypeForBitwidth(64, 1), nullptr, SC_Auto);
  length->setImplicit();
  return length;
}

std::optional<unsigned> rowLength(const LoopFacts& facts, const ArrayFact& array, unsigned level) {
  if (array.extents[level] != unknownLength) return std::nullopt;
  for (unsigned i = 0; i < facts.scalars.size(); ++i) {
    const VarDecl* var = facts.scalars[i].var;
    if (var->isImplicit() && var->getName() == nameOf(array.var, level)) return i;
  }
  return std::nullopt;
}

static constexpr const char* rowsPrefix = "muster_rows_";

std::string rowsName(const ArrayFact& array) { return rowsPrefix + array.var->getNameAsString(); }

bool isRowsLength(llvm::StringRef text) { return text.starts_with(rowsPrefix); }

std::string rowLengthText(const LoopFacts& facts, const VarDecl* scalar) {
  if (!scalar->isImplicit()) return "";
  for (const ArrayFact& array : facts.arrays)
    for (unsigned level = 0; level < array.extents.size(); ++level) {
      if (array.extents[level] != unknownLength || scalar->getName() != nameOf(array.var, level)) continue;
      if (array.form == ArrayForm::Rows) return rowsName(array) + ".length";
      std::string row = array.var->getNameAsString();
      for (unsigned i = 0; i <= level; ++i) row += "[0]";
      return "(int64_t)(sizeof(" + row + ") / sizeof(" + row + "[0]))";
    }
  return "";
}

}  // namespace muster::plugin
