// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user's headers that a file includes hold for Muster, found without preprocessing anything.
#pragma once

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringRef.h"
#include "pragma/Scan.h"

namespace muster::plugin {

// A header that holds directives of ours.
struct ScannedHeader {
  clang::FileEntryRef file;
  std::string text;
  ScanResult scan;
};

struct IncludedFiles {
  bool needRewriting = false;  // a header does (ScanResult), or the name of one is not spelled out
  std::vector<ScannedHeader> headers;
};

// Follows the #include lines of `text`, the main file's, also those that a condition leaves out, through headers that
// are not the system's.
IncludedFiles scanIncludes(clang::Preprocessor& preprocessor, llvm::StringRef text);

}  // namespace muster::plugin
