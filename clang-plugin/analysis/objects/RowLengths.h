// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays with rows whose length only the run knows: double (*a)[m], where the length was fixed when the type was
// declared, so that m may have changed since, and double **a (RowTables.h). A launch reads the length from the type, or
// the table, and passes it as a scalar, whose variable is made here.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/facts/Facts.h"
#include "clang/AST/ASTContext.h"

namespace muster::plugin {

// Among LoopFacts::extents such a length is this number.
constexpr std::int64_t unknownLength = 0;

inline bool hasUnknownLengths(const ArrayFact& array) {
  return std::find(array.extents.begin(), array.extents.end(), unknownLength) != array.extents.end();
}

// What a pointer to the array's start points to: an element, or a row.
clang::QualType firstOf(const clang::VarDecl* array);

// The scalar for the length of `array`'s rows at `level` (an index into its extents).
const clang::VarDecl* makeRowLength(clang::ASTContext& ast, const LoopFacts& facts, const clang::VarDecl* array,
                                    unsigned level);
// That scalar's index in facts.scalars; nullopt where the extent is constant.
std::optional<unsigned> rowLength(const LoopFacts& facts, const ArrayFact& array, unsigned level);

// What the launch site finds out about an array of form Rows and passes as scalars: the lengths, and, for native code
// that needs pointers to rows, the first and last row that the loop may use, of tables of tables at each level.
// Size: of vectors of vectors, how many elements each of these rows has.
enum class RowNumber { Length, First, Last, Size };
const clang::VarDecl* makeRowNumber(clang::ASTContext& ast, const LoopFacts& facts, const clang::VarDecl* array,
                                    RowNumber number, unsigned level);
// That scalar's index in facts.scalars; nullopt: there is none.
std::optional<unsigned> rowNumber(const LoopFacts& facts, const ArrayFact& array, RowNumber number, unsigned level = 0);
// A pointer to the elements that the entries of a table of form Starts lead to.
const clang::VarDecl* makeElementsBehind(clang::ASTContext& ast, const LoopFacts& facts, const clang::VarDecl* table);
// The array that has these elements: an index into facts.arrays.
unsigned elementsBehind(const LoopFacts& facts, const clang::VarDecl* table);
// The muster_rows of such an array.
std::string rowsName(const LoopFacts& facts, const ArrayFact& array);
// Whether `text` is what it has found out about a length.
bool isRowsLength(llvm::StringRef text);
// What the launch site evaluates for such a scalar; empty for variables of the user's.
std::string rowLengthText(const LoopFacts& facts, const clang::VarDecl* scalar);

}  // namespace muster::plugin
