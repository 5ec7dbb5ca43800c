// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the text of a main file says before it is parsed: where our directives stand, and whether anything in the
// file concerns Muster at all. Works on raw tokens, so comments, strings and raw strings are never mistaken.
#pragma once

#include <string>
#include <vector>

#include "clang/Basic/LangOptions.h"
#include "llvm/ADT/StringRef.h"

namespace muster::plugin {

// The pragma namespaces that stand for `omp` and `ompx` in the nested compile: the same lengths, so that every
// offset stays.
inline constexpr const char* kNamespace = "mst";
inline constexpr const char* kExtensionNamespace = "mstx";

// Whether this is the first word of a directive of ours.
bool isDirectiveName(llvm::StringRef name);

// A directive of ours in the text, as byte offsets.
struct ScannedDirective {
  unsigned begin = 0;          // of the '#'
  unsigned end = 0;            // behind the last token
  unsigned sentinelBegin = 0;  // of `omp` or `ompx`
  unsigned sentinelEnd = 0;
};

// Where Muster's #include can be put in front of the user's own.
struct HeaderPlace {
  unsigned offset = 0;
  unsigned line = 1;  // the line that follows
  // Macros of the user's that are defined in front of it (one may be named twice, or undefined again): text that is
  // ours may use these names for something else.
  std::vector<std::string> macros;
};

struct ScanResult {
  std::vector<ScannedDirective> directives;
  // A directive, an OpenMP pragma; under a sanitizer also free, realloc or delete[].
  bool needsRewriting = false;
  bool namesMain = false;
  bool moduleUnit = false;            // of a C++20 module
  std::vector<std::string> includes;  // with their quotes or brackets; "" where a macro names the file
  HeaderPlace header;
};

ScanResult scanText(llvm::StringRef text, const clang::LangOptions& options);

// The text with the sentinels of our directives replaced by kNamespace and kExtensionNamespace.
std::string withOwnNamespace(llvm::StringRef text, const ScanResult& scan);
// The text with our directives turned into blanks (line ends stay).
std::string withoutDirectives(llvm::StringRef text, const ScanResult& scan);

}  // namespace muster::plugin
