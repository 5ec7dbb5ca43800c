// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files of a translation unit are the user's, and which of them can be rewritten: the main file, and headers
// that are not the system's.
#pragma once

#include <string>

#include "clang/Basic/SourceManager.h"

namespace muster::plugin {

// Whether what is expanded at `loc` is written in the main file or in a header that is not the system's.
bool isUserCode(const clang::SourceManager& sources, clang::SourceLocation loc);

// Why the file that holds `loc` (not a macro's) cannot be rewritten: "is in a system header". Empty if it can.
std::string whyNotRewritable(const clang::SourceManager& sources, clang::SourceLocation loc);
inline bool isRewritable(const clang::SourceManager& sources, clang::SourceLocation loc) {
  return whyNotRewritable(sources, loc).empty();
}

}  // namespace muster::plugin
