// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions allocate an array.
#pragma once

#include <vector>

#include "clang/AST/Expr.h"

namespace muster::plugin {

enum class AllocationKind {
  None,
  New,
  Malloc,
  Calloc,
  AlignedAlloc,
  PosixMemalign,  // posix_memalign((void **)&a, ...)
  Call            // a function of the program that may allocate: `a = make(n)`, `make2d(&a, n)`
};

// Of the expression itself, not of its operands.
AllocationKind allocationKind(const clang::Expr* expr);

// The allocation whose value `expr` has: behind casts and parentheses, and in the one branch of ?: whose other branch
// is a null pointer. nullptr if there is none.
const clang::Expr* findAllocation(const clang::Expr* expr);

// The variables and members to which a call may give new memory: what it gets as `&a` (also cast) or as a reference to
// a pointer. Empty for functions of the standard library other than posix_memalign.
std::vector<const clang::Expr*> outParameters(const clang::CallExpr& call);

}  // namespace muster::plugin
