// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers to rows, T **a: a[i][j] is an element of one array with rows of one length, which the launch finds
// out (docs/decisions/0010-rows-of-pointers.md).
#pragma once

#include <optional>

#include "analysis/Objects.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// The table whose value, or first row, `expr` is: a variable, a member of an outside object, or what a parameter or a
// local pointer is bound to. nullptr: none.
const clang::VarDecl* tableOf(const clang::Expr* expr, const Objects& objects, const ObjectBindings& bindings);

// The value of a row's pointer: a[i], *a or *(a + i).
struct RowUse {
  const clang::VarDecl* table = nullptr;
  const clang::Expr* index = nullptr;  // nullptr: 0
  bool isNamed = false;                // the table is a variable that is named there
};

// Where such a pointer is; nullopt: `place` is something else.
std::optional<RowUse> rowPlace(const clang::Expr* place, const Objects& objects, const ObjectBindings& bindings);
// That is read.
std::optional<RowUse> rowUse(const clang::Expr* expr, const Objects& objects, const ObjectBindings& bindings);

// Whether a variable of this type is a table of rows: T ** or T *[N]. T is then what its elements are, else null.
clang::QualType rowElement(clang::QualType type);

}  // namespace muster::plugin
