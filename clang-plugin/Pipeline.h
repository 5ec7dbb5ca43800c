// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plugin does to one translation unit: scans the main file, runs the stages over a nested compile, and gives
// the outer compile the text that it should see instead.
#pragma once

#include <memory>

#include "Fallback.h"
#include "clang/Frontend/CompilerInstance.h"

namespace muster::plugin {

// Not so for -fsyntax-only, the static analyzer, clang-tidy and the like: what they say of the code is to be about the
// user's own.
bool emitsCode(const clang::CompilerInstance& outer);

// To be called when the outer compile has its source manager and preprocessor, but has not lexed a token.
// The result is there if it compiles rewritten text.
std::unique_ptr<Fallback> processTranslationUnit(clang::CompilerInstance& outer, llvm::StringRef mainFile,
                                                 const Options& options);

}  // namespace muster::plugin
