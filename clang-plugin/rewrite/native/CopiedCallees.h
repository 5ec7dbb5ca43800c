// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native code's copies of functions that name global arrays of the loop: these are further parameters there.
#pragma once

#include <string>

#include "analysis/references/CalleeCopies.h"
#include "rewrite/text/LoopText.h"

namespace muster::plugin {

// The functions, as members of the loop's struct, in C of the file.
void writeCalleeCopies(const Spelling& spelling, const LoopFacts& facts, const std::string& owner, CodeText& code);
// The variables that native code gives them, in front of the loop; their names.
std::vector<std::string> declareCalleeArrays(const Spelling& spelling, const LoopFacts& facts, CodeText& code);

// What stands in a call for the function's name, and in front of the other arguments (`isAll`: there are none).
std::string copyName(const Spelling& spelling, const CalleeCopy& copy, const std::string& owner);
std::string copyArguments(const LoopFacts& facts, bool isAll);

}  // namespace muster::plugin
