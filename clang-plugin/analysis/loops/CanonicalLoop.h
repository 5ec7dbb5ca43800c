// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `for (T i = lower; i < bound; i += step)` in all the forms that OpenMP calls canonical.
#pragma once

#include <optional>

#include "analysis/facts/Facts.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// Whatever it counts; nullopt: not of one of these forms.
std::optional<DimFact> countedLoop(const clang::ForStmt* loop);
// nullopt: not a canonical loop over an integer.
std::optional<DimFact> canonicalLoop(const clang::ForStmt* loop);

// The loop that `statement` consists of, through braces without further statements and through directives that
// transform it; nullptr if there is none.
const clang::ForStmt* onlyLoop(const clang::Stmt* statement);
// The statement, through the same; nullptr if there is none.
const clang::Stmt* onlyStatement(const clang::Stmt* statement);

// The loop behind `omp tile` and `omp unroll`, whose iterations are the same.
const clang::Stmt* withoutTransformations(const clang::Stmt* statement);
// Over several loops, so that iterations of the inner ones have another order.
bool changesOrder(const clang::OMPTileDirective* tile);
// The first directive that transforms the loops of this one; nullptr if there is none.
const clang::Stmt* transformationOf(const clang::OMPLoopDirective* directive);
// How many of the loops in the text the directive shares out. nullopt: directives transform them in a way that no
// number of them stands for, or change the order of loops that one iteration runs.
std::optional<unsigned> loopsInText(const clang::OMPLoopDirective* directive);

// Text of the number of iterations of a loop, whose lower bound (in the loop variable's type), bound and step have
// these texts at the launch site.
std::string tripCountText(const clang::ASTContext& context, const DimFact& dim, const std::string& lower,
                          const std::string& bound, const std::string& step);

// True if a `break` (or `return`) in `body` can leave the loop whose body it is.
bool hasEarlyExit(const clang::Stmt* body);

}  // namespace muster::plugin
