// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates between omp_set_lock and omp_unset_lock of one lock, which become what those under `omp critical` become.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// Notes the locks of the body around which nothing but updates, and choices that may be records, stands.
void findLocks(LoopContext& context);
// Forgets those around other choices: their calls have the loop refused.
void settleLocks(LoopContext& context);

// A call that sets or unsets such a lock.
bool isLockCall(const LoopFacts& facts, const clang::Stmt* statement);
bool isLockedChoice(const LoopFacts& facts, const clang::IfStmt* choice);
// The choice under a lock that is all of the statement.
const clang::IfStmt* onlyLockedChoice(const LoopFacts& facts, const clang::Stmt* statement);

}  // namespace muster::plugin
