// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that CPUs of all ranks may do in the middle of a loop, and other devices may not: they end the program, or
// write to stderr, where lines of several threads have no order.
#pragma once

#include <optional>
#include <vector>

#include "analysis/Facts.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// exit, abort and their like.
bool endsProgram(const clang::FunctionDecl* function);
// Those and fprintf(stderr, ...) and its like: the arguments that the loop computes. nullopt: something else, or an
// argument is a pointer, whose elements may be anywhere, and no string literal.
std::optional<std::vector<const clang::Expr*>> reportArguments(const clang::CallExpr* call);
// Whether the loop may do such a call, or fail an `assert`: what follows the loop has to wait for all chunks then.
bool mayReport(const LoopFacts& facts);

}  // namespace muster::plugin
