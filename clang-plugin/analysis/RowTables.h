// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of pointers to rows, T **a: a[i][j] is an element of one array with rows of one length, which the launch finds
// out (docs/decisions/0010-rows-of-pointers.md).
#pragma once

#include <optional>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// The value of a row's pointer: a[i], *a or *(a + i).
struct RowUse {
  const clang::VarDecl* table = nullptr;
  const clang::Expr* index = nullptr;  // nullptr: 0
};

// nullopt: `expr` is something else.
std::optional<RowUse> rowUse(const clang::Expr* expr);

// Whether a variable of this type is a table of rows: T ** or T *[N]. T is then what its elements are, else null.
clang::QualType rowElement(clang::QualType type);

}  // namespace muster::plugin
