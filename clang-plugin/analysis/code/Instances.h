// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that were made from a template: the text is one, the AST, and what is found out about it, one for each
// instantiation.
#pragma once

#include <string>

#include "clang/AST/Decl.h"

namespace muster::plugin {

// What __PRETTY_FUNCTION__ says in `function` if it, or a class or function around it, is an instantiation: the
// text tells instantiations apart while they are compiled. Empty for all other functions.
std::string instanceName(const clang::FunctionDecl* function);

// Whether several translation units may define the function, of which the linker keeps one.
bool isMerged(const clang::FunctionDecl* function);

// The member in the class template that this one is an instance of; of other classes itself. Canonical.
const clang::FieldDecl* patternOf(const clang::FieldDecl* field);

}  // namespace muster::plugin
