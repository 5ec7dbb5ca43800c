// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers to rows, T **a, and vectors of vectors: a[i][j] is an element of one array with rows of one
// length, which the launch finds out (docs/decisions/0010-rows-of-pointers.md). Tables of tables, T ***a, are arrays of
// more dimensions (docs/decisions/0020-tables-of-tables.md).
#pragma once

#include <optional>
#include <string>

#include "analysis/objects/Objects.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

namespace muster::plugin {

// The table whose value, or first row, `expr` is: a variable, a member of an outside object, or what a parameter or a
// local pointer is bound to. nullptr: none.
const clang::VarDecl* tableOf(const clang::Expr* expr, const Objects& objects, const ObjectBindings& bindings);

// The tables whose entries a statement assigns by `a[i] = pointer`.
std::set<const clang::VarDecl*> assignedTables(const clang::Stmt* statement, const Objects& objects);

// The value of a row's pointer: a[i], *a or *(a + i), of tables of tables a[i][k] and the like. Of a vector of vectors,
// the row: a[i], a.at(i) or a.front().
struct RowUse {
  const clang::VarDecl* table = nullptr;
  llvm::SmallVector<const clang::Expr*, 1> indexes = {};  // one for each level of tables, from the outermost; null: 0
  bool isNamed = false;                                   // the table is a variable that is named there
};

// Where such a pointer is; nullopt: `place` is something else.
std::optional<RowUse> rowPlace(const clang::Expr* place, const Objects& objects, const ObjectBindings& bindings);
// That is read.
std::optional<RowUse> rowUse(const clang::Expr* expr, const Objects& objects, const ObjectBindings& bindings);

// The row of a vector of vectors that a function's own reference is bound to: `auto &row = a[i];`.
std::optional<RowUse> rowBehind(const clang::VarDecl* reference, const Objects& objects,
                                const ObjectBindings& bindings);
// The variable whose row a plain name denotes that way; nullptr: something else.
const clang::VarDecl* rowReference(const clang::Expr* expr);

// The vector of vectors whose size() a call asks for; nullptr: it does something else.
const clang::VarDecl* tableOfSize(const clang::CallExpr* call, const Objects& objects, const ObjectBindings& bindings);
// The row whose size() a call asks for.
std::optional<RowUse> rowOfSize(const clang::Expr* call, const Objects& objects, const ObjectBindings& bindings);

// What the launch site calls the length that all rows of a vector of vectors have.
std::string rowSizeText(const Objects& objects, const clang::VarDecl* table);
// The text of an expression that is the same in all iterations (isInvariant), for the launch site, where a row's number
// may have no value: `a[i].size()` is that of any row.
std::string invariantText(const clang::ASTContext& ast, const Objects& objects, const clang::Expr* expr);

}  // namespace muster::plugin
