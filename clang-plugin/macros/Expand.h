// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces invocations of macros by what they expand to, where a loop or region can be rewritten only then, and tells
// for places in the new texts where they are in the user's.
#pragma once

#include <string>
#include <vector>

#include "clang/Frontend/CompilerInstance.h"
#include "macros/Recorder.h"

namespace muster::plugin {

// From offsets of a text with replacements to those of the text without. What a replacement holds is where it begins.
class OffsetMap {
 public:
  // In the order of the text: the characters [begin, end) became `length` others.
  void add(unsigned begin, unsigned end, unsigned length);
  unsigned original(unsigned offset) const;

 private:
  struct Replaced {
    unsigned begin, end, originalEnd;
  };
  std::vector<Replaced> replaced_;
};

struct ExpandedFile {
  clang::OptionalFileEntryRef header;  // none: the main file
  std::string parsed;                  // the text that was parsed, with the offsets of the original
  bool hasOurs = false;                // something that is expanded makes a directive of ours
  // [begin, end) of the original, and what stands there now; in the order of the text
  struct Replacement {
    unsigned begin, end;
    std::string text;
  };
  std::vector<Replacement> replacements;

  // `text`: with the same offsets.
  std::string apply(llvm::StringRef text) const;
  OffsetMap offsets() const;
};

// The files of a parse in which something has to be expanded. Constructs are looked for in the traversal scope.
std::vector<ExpandedFile> expandMacros(clang::CompilerInstance& instance, MacroRecorder& recorder);

}  // namespace muster::plugin
