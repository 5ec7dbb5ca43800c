// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions by operators of the user's: `omp declare reduction`.
#pragma once

#include "analysis/facts/Context.h"

namespace muster::plugin {

// The user's operator that an item of a clause has, by the clause's operation for it; nullptr: it is OpenMP's.
const clang::OMPDeclareReductionDecl* declaredReduction(const clang::Expr* operation);
// The clause's item becomes a result. False: refused.
bool addDeclared(LoopContext& context, const clang::Expr* item, const clang::OMPDeclareReductionDecl* declared);

// The operator's variables.
const clang::VarDecl* combinerIn(const clang::OMPDeclareReductionDecl* declared);
const clang::VarDecl* combinerOut(const clang::OMPDeclareReductionDecl* declared);
// The copies' first value, and a call that leaves it in omp_priv; nullptr: there is none.
const clang::Expr* initialValue(const clang::OMPDeclareReductionDecl* declared);
const clang::Expr* initialCall(const clang::OMPDeclareReductionDecl* declared);
const clang::VarDecl* initialPrivate(const clang::OMPDeclareReductionDecl* declared);
// The scalar of the loop that is the value before the loop, from which all copies start; nullptr: they do not.
const clang::VarDecl* originalOf(const LoopFacts& facts, const ResultFact& result);

}  // namespace muster::plugin
