// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user's texts, and what they say before they are parsed.
#pragma once

#include "NestedCompile.h"
#include "pragma/Includes.h"

namespace muster::plugin {

struct UserSources {
  std::string text;  // of the main file
  ScanResult scan;
  IncludedFiles included;

  // Replaces macros in one of the files.
  void expand(const ExpandedFile& file, const clang::LangOptions& language);
  // For clang, which rejects our directives.
  SourceTexts withoutDirectives() const;
  // For the nested compile, which is to see them.
  SourceTexts withOwnNamespaces() const;
};

UserSources readSources(clang::CompilerInstance& outer);

}  // namespace muster::plugin
