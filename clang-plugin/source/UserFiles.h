// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files of a translation unit are the user's, and which of them can be rewritten: the main file, and headers
// that are not the system's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clang/Basic/SourceManager.h"

namespace muster::plugin {

// Whether what is expanded at `loc` is written in the main file or in a header that is not the system's.
bool isUserCode(const clang::SourceManager& sources, clang::SourceLocation loc);

// Why the file that holds `loc` (not a macro's) cannot be rewritten: "is in a system header". Empty if it can.
std::string whyNotRewritable(const clang::SourceManager& sources, clang::SourceLocation loc);
inline bool isRewritable(const clang::SourceManager& sources, clang::SourceLocation loc) {
  return whyNotRewritable(sources, loc).empty();
}

using TextRange = std::pair<unsigned, unsigned>;  // [begin, end), offsets in a file
// What conditionals left out of a compile, from a '#' to behind the line that ends it.
using SkippedText = std::map<clang::FileID, std::vector<TextRange>>;

// A place in the texts of a compile: the file (nullptr: the main one) and the offset there. Nested compiles share the
// outer one's files.
using TextPlace = std::pair<const clang::FileEntry*, unsigned>;
// nullopt: it is in no file.
std::optional<TextPlace> textPlace(const clang::SourceManager& sources, clang::SourceLocation loc);

}  // namespace muster::plugin
