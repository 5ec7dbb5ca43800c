// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and text of the clauses of a directive that native code repeats.
#pragma once

#include <optional>
#include <string>

#include "analysis/objects/Objects.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"

namespace muster::plugin {

// Whether only the launch computes the value, once, as plain OpenMP does: evaluating it may change something, or calls
// what native code of another rank cannot ask. Native code does without it, which changes nothing but the time.
bool isForLaunchOnly(const clang::ASTContext& ast, const clang::Expr* value);

// " schedule(static, 4)": the clause in native code; empty: native code leaves it away; nullopt: it uses objects in a
// way that has no other text.
std::optional<std::string> clauseText(const clang::ASTContext& ast, Objects& objects, const clang::OMPClause* clause);

}  // namespace muster::plugin
