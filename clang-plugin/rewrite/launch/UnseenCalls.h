// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of other translation units that regions and loops call, as the runtime is told of them.
#pragma once

#include <set>
#include <string>

#include "rewrite/text/Edits.h"
#include "rewrite/text/LoopText.h"

namespace muster::plugin {

// At the top of the file.
void declareUnseen(const TranslationUnitPlan& plan, EditList& edits);
// A loop that stays plain, in a region that is run by one thread or by its team: its text is there for both.
bool mayHaveTeam(const clang::ASTContext& context, const TranslationUnitPlan& plan, const NestedLoop& nested);
// Behind all other edits of the loops: closes what the rewriting of regions has opened in front of such loops.
void repeatForTeams(const clang::ASTContext& context, const TranslationUnitPlan& plan, EditList& edits);
// A variable for the calls of these functions, by the linker's names, and its definition. Others have other names,
// because the linker may merge what several units have.
std::string callsName(const std::set<std::string>& names, unsigned flags = 0);
std::string callsText(const Spelling& spelling, clang::SourceLocation place, const std::set<std::string>& names,
                      unsigned flags = 0);

}  // namespace muster::plugin
