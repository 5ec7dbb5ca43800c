// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `omp simd` inside of a body: a hint, which native code keeps. In a kernel, and for the analysis, its iterations run
// one after the other, with the clauses' variables as one lane has them.
#pragma once

#include <string>

#include "analysis/facts/Context.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// What a simd directive is a hint for; other statements as they are.
const clang::Stmt* withoutHint(const clang::Stmt* statement);
// The children of a statement; of one that a directive captures, that one.
llvm::SmallVector<const clang::Stmt*, 8> partsOf(const clang::Stmt* statement);

// Why a simd loop is no hint alone; empty if it is.
std::string whyNoHint(const clang::OMPSimdDirective* directive);
// Variables of which the loop has copies without a value, and that keep theirs.
std::vector<const clang::VarDecl*> ownVariables(const clang::OMPSimdDirective* directive);
// Variables that follow the loop's counter by themselves: `linear`, without a statement that changes them.
std::vector<const clang::VarDecl*> followingVariables(const clang::OMPSimdDirective* directive);
// What its clauses name and compute, apart from constants.
std::vector<const clang::Expr*> clauseOperands(const clang::OMPSimdDirective* directive);
// The condition of an `if` clause, or nullptr.
const clang::Expr* conditionOf(const clang::OMPSimdDirective* directive);

// Arrays that the text of a body says to be aligned.
std::set<const clang::VarDecl*> alignedArrays(const clang::Stmt* body);

// Shared variables that only simd loops name, each as its own, are private.
void readSimdLoops(LoopContext& context);

}  // namespace muster::plugin
