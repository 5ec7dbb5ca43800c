// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions of a region's code for the thread's number, and how many there are, that one thread answers as a team
// would: `if (omp_get_thread_num() == 0)` is what `master` says, and the number of threads is that of the team that the
// region would have had. Which thread does what must not depend on that number then: the region has only one.
#pragma once

#include <set>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

struct ThreadQueries {
  std::set<const clang::Expr*> harmless;  // calls; those of `counts` among them, but not those of `free`
  std::vector<const clang::CallExpr*>
      counts;  // for the number of threads, all of them in place of which text can stand
  // Of `counts`: the code may do anything with them, if nothing is done once for each thread.
  std::set<const clang::Expr*> free;
  std::vector<const clang::CallExpr*> slots;  // for the thread's number (analysis/teams/ThreadSlots.h)
  std::set<const clang::Stmt*> once;          // `if`s that only the first thread enters
};

// The variable that an expression names; nullptr: none.
const clang::VarDecl* variableNamed(const clang::Expr* expr);
// Whether an expression is a call for the thread's number.
bool asksForNumber(const clang::Expr* expr);

// `region`: an `omp parallel`. Of its own text, not of functions that it calls.
ThreadQueries threadQueries(const clang::ASTContext& ast, const clang::OMPExecutableDirective* region);
// A function that regions may call: for the thread's number alone, since its text is that of all callers.
ThreadQueries threadQueries(const clang::ASTContext& ast, const clang::FunctionDecl* function);

// To the program's own output, which nothing reads again.
bool isPrinting(const clang::CallExpr* call);
// Whether a call, or the construction of an object, keeps other threads away.
bool takesLock(const clang::Expr* use);
// Whether a call, or the construction of an object, does something that adds up over the threads that do it: it prints,
// takes a lock, updates what all of them share.
bool addsUp(const clang::ASTContext& ast, const clang::Expr* use);

}  // namespace muster::plugin
