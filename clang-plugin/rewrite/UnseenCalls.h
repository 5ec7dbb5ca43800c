// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of other translation units that regions and loops call, as the runtime is told of them.
#pragma once

#include <set>
#include <string>

#include "rewrite/Edits.h"
#include "rewrite/LoopText.h"

namespace muster::plugin {

// At the top of the file.
void declareUnseen(const TranslationUnitPlan& plan, EditList& edits);
// A variable for the calls of these functions, by the linker's names, and its definition. Others have other names,
// because the linker may merge what several units have.
std::string callsName(const std::set<std::string>& names, bool counts = false);
std::string callsText(const Spelling& spelling, clang::SourceLocation place, const std::set<std::string>& names,
                      bool counts = false);

}  // namespace muster::plugin
