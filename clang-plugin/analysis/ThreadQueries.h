// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions of a region's code for the thread's number, and how many there are, that one thread answers as a team
// would: `if (omp_get_thread_num() == 0)` is what `master` says, and a number of threads that is only printed or kept
// for after the region is that of the team that the region would have had.
#pragma once

#include <map>
#include <set>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

struct ThreadQueries {
  std::set<const clang::Expr*> harmless;                 // calls; those of `counts` among them
  std::map<const clang::CallExpr*, std::string> counts;  // what stands in their place
};

// `region`: an `omp parallel`. Of its own text, not of functions that it calls.
ThreadQueries threadQueries(const clang::ASTContext& ast, const clang::OMPExecutableDirective* region);

}  // namespace muster::plugin
