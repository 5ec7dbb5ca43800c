// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that CPUs of all ranks may do in the middle of a loop: they end the program, which other devices leave to the
// launch site (docs/decisions/0023), or write to stderr, where lines of several threads have no order.
#pragma once

#include <optional>
#include <vector>

#include "analysis/facts/Facts.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// The muster_ending of exit, abort and their like, whose last argument is the code; MUSTER_END_NONE of other functions.
int endingOf(const clang::FunctionDecl* function);
// Whether it is a call that ends the program, or of a function of this unit that may do so, directly or through others.
bool mayEnd(const clang::Expr* call);
// Calls that end the program in the text of the body itself, where an iteration can be left at once.
std::vector<const clang::CallExpr*> endsInText(const LoopFacts& facts);
// Statements there that write to standard output before such a call.
std::vector<const clang::Stmt*> farewellsInText(const LoopFacts& facts);
// Those, fprintf(stderr, ...) and its like, and output right before the program ends: the arguments that the loop
// computes. nullopt: something else, or an argument is a pointer, whose elements may be anywhere, and no string
// literal.
std::optional<std::vector<const clang::Expr*>> reportArguments(const clang::CallExpr* call);
// Calls in the body's text that write to stderr what is always the same: kernels count them, up to MUSTER_MOST_REPORTS.
std::vector<const clang::CallExpr*> constantReports(const LoopFacts& facts);
// Whether the loop may do such a call, or fail an `assert`: what follows the loop has to wait for all chunks then.
bool mayReport(const LoopFacts& facts);

}  // namespace muster::plugin
