// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions in which each thread leaves what it has found in an element of its own: `found[omp_get_thread_num()] = best`.
// Their loops may have all iterations on one thread, as schedules that OpenMP leaves open allow. One thread runs the
// region's code for each thread of the team in turn, the first one last, which alone has iterations
// (docs/decisions/0028-threads-in-turn.md).
#pragma once

#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// The calls for the thread's number, in place of which text can stand. Empty: there are none, or the region does more
// with them, or its code outside of loops more than to compute values of each thread's own.
std::vector<const clang::CallExpr*> threadSlots(const clang::ASTContext& ast,
                                                const clang::OMPExecutableDirective* region);

}  // namespace muster::plugin
