// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects our directives while the nested compile preprocesses the file.
#pragma once

#include "clang/Lex/Preprocessor.h"
#include "pragma/Directives.h"

namespace muster::plugin {

// `table` must outlive the preprocessor. Malformed directives are errors and are not collected.
void addPragmaHandlers(clang::Preprocessor& preprocessor, DirectiveTable& table);

}  // namespace muster::plugin
