// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a kernel's code in C, with the parentheses that C needs, and those that readers of mixed operators
// expect.
#pragma once

#include <string>

#include "ir/Statement.h"

namespace muster::plugin::print {

std::string text(const ir::Expression& expression);
// For a place that binds with `least`.
std::string text(const ir::Expression& expression, ir::Prec least);
// Lines, indented by two spaces a level.
std::string text(const ir::Statements& statements, unsigned depth);

}  // namespace muster::plugin::print
