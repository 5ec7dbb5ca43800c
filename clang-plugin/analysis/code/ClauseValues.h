// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// A clause's value as the user wrote it (Sema wraps values that it captures).
const clang::Expr* clauseValue(const clang::Expr* value);
// The value that native code needs of a clause: of num_threads, if and schedule; nullptr: there is none.
const clang::Expr* valueOfClause(const clang::OMPClause* clause);

// Whether its schedule has chunks of a size that the program says, and whose bounds follow from it: not a guided one's.
// Not where order(concurrent) says that iterations have no order.
bool hasKnownChunks(const clang::OMPExecutableDirective* directive);

// Whether its schedule says that iterations may cost unequally: dynamic or guided.
bool isUneven(const clang::OMPExecutableDirective* directive);

// Whether its schedule may give each thread one part of the iterations, whose bounds follow from the number of threads.
bool hasThreadParts(const clang::OMPExecutableDirective* directive);

template <class Clause>
bool hasClause(const clang::OMPExecutableDirective* directive) {
  return llvm::any_of(directive->clauses(), [](const clang::OMPClause* clause) { return llvm::isa<Clause>(clause); });
}

}  // namespace muster::plugin
