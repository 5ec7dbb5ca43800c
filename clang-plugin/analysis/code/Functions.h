// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which called functions the analysis knows, what their definitions are, and which variables a statement may change.
#pragma once

#include <set>
#include <vector>

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

namespace muster::plugin {

// True for a function of the standard library whose effect is its value alone: sqrt, abs, std::min, ...
bool isMaths(const clang::FunctionDecl* function);
// std::move, std::forward or std::as_const, which the compiler knows without their definitions.
bool isForwarding(const clang::FunctionDecl* function);
// memcpy, memmove or memset; also qsort, and std::sort and std::unique of numbers in GCC's parallel mode.
bool isMemoryFunction(const clang::FunctionDecl* function);
// rand_r: a number from the seed that it gets, which it changes.
bool isSeeded(const clang::FunctionDecl* function);
// What `assert`, and `at` of the standard library, calls where it fails: the process ends, because exceptions cannot
// leave the iterations of a loop.
bool isAssertion(const clang::FunctionDecl* function);
// std::swap.
bool isSwap(const clang::FunctionDecl* function);
// Recursion that native code may do, as std::sort and its like do to local data: a function of the standard library
// whose effect is what it does through its arguments.
inline bool mayRecur(const clang::FunctionDecl* function) {
  return function->isInStdNamespace() && function->getReturnType()->isVoidType();
}
// What a closure's calls may run: the call operator's definitions; empty for other types.
std::vector<const clang::FunctionDecl*> lambdaBodies(clang::QualType type);
// All that goes into a function and comes out of it is numbers and structs of them, and pointers to such that go in,
// unless it uses variables of its file.
bool passesPlainData(const clang::FunctionDecl* function);
// A function that other translation units may define, and that gets and gives such data only.
bool isOfOtherUnit(const clang::FunctionDecl* function);
// The definition to follow for a call, nullptr if there is none in this translation unit.
const clang::FunctionDecl* definitionOf(const clang::FunctionDecl* function);
// What a function does that is one expression, which it may return; else nullptr.
const clang::Expr* onlyExpression(const clang::FunctionDecl* definition);

// What an element is subscripted from: `a` of `a[i][j]`; an expression that is none stays.
inline const clang::Expr* withoutSubscripts(const clang::Expr* expr) {
  while (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr))
    expr = element->getBase()->IgnoreParenImpCasts();
  return expr;
}

// Whether `statement` (nullptr: no) names one of the variables.
bool mentions(const clang::Stmt* statement, const std::set<const clang::VarDecl*>& variables);
// Variables that `statement` may change: assigned, counted, or given away by address or reference.
std::set<const clang::VarDecl*> changedVariables(const clang::Stmt* statement);
// Pointer variables of a function that are indexed or moved there, or in functions that get them (`depth` calls
// deep).
std::set<const clang::VarDecl*> indexedPointers(const clang::FunctionDecl* definition, unsigned depth = 8);

}  // namespace muster::plugin
