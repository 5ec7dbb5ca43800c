// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code as lists in parentheses, for people who work on the plugin (-fplugin-arg-muster-print=ir).
#pragma once

#include <string>

#include "ir/Statement.h"

namespace muster::plugin::ir {

std::string dump(const Expression& expression);
// A line for each statement, indented by two spaces a level.
std::string dump(const Statements& statements, unsigned depth = 0);

}  // namespace muster::plugin::ir
