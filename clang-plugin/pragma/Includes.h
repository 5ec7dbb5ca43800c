// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the user's headers that a file includes hold directives, found without preprocessing anything.
#pragma once

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringRef.h"

namespace muster::plugin {

// Follows the #include lines of `text`, the main file's, also those that a condition leaves out, through headers that
// are not the system's. True if a file needs rewriting (ScanResult), or if the name of one is not spelled out.
bool includesDirectives(clang::Preprocessor& preprocessor, llvm::StringRef text);

}  // namespace muster::plugin
