// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions allocate an array.
#pragma once

#include "clang/AST/Expr.h"

namespace muster::plugin {

enum class AllocationKind { None, New, Malloc, Calloc, AlignedAlloc };

// Of the expression itself, not of its operands.
AllocationKind allocationKind(const clang::Expr* expr);

// The allocation whose value `expr` has: behind casts and parentheses, and in the one branch of ?: whose other branch
// is a null pointer. nullptr if there is none.
const clang::Expr* findAllocation(const clang::Expr* expr);

}  // namespace muster::plugin
