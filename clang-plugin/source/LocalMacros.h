// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros that a function defines or undefines in front of a loop. Native code of C loops stands in front of the
// function (docs/decisions/0008-c-sources.md), where they mean something else: they are replaced by their text first
// (macros/Expand.cpp), and a loop that still uses one stays plain.
#pragma once

#include <vector>

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "source/UserFiles.h"

namespace muster::plugin {

// The text of a function in front of one of its directives; empty if they are in different files.
struct TextBefore {
  clang::FileID file;
  unsigned begin = 0, end = 0;
  bool contains(const clang::SourceManager& sources, clang::SourceLocation loc) const;
  // Whether a macro that this text defines made the token, perhaps through other macros.
  bool makes(const clang::SourceManager& sources, clang::SourceLocation loc) const;
};

TextBefore textBefore(const clang::SourceManager& sources, const clang::FunctionDecl* function,
                      clang::SourceLocation directive);

// A line `#define NAME ...` or `#undef NAME`, or another one that changes macros.
struct MacroLine {
  llvm::StringRef text;  // without the '#' and what is around it
  llvm::StringRef name;  // empty: no single macro
  bool hasTokens = false;
};

// Of a part of a file, in the order of the text, without those in `skipped`. Also behind a comment, as `%:`, or as
// _Pragma.
std::vector<MacroLine> macroLines(const clang::ASTContext& ast, const TextBefore& part, const SkippedText& skipped);

// The line that the text from the end of `before` to `end` depends on: it would be other code without that; or nullptr.
const MacroLine* dependsOn(const clang::ASTContext& ast, const TextBefore& before, const std::vector<MacroLine>& lines,
                           unsigned end);

}  // namespace muster::plugin
