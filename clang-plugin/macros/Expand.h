// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces invocations of macros by what they expand to, and conditionals by the branch that was taken, where a
// construct can be rewritten only then, and tells for places in the new texts where they are in the user's.
#pragma once

#include <string>
#include <vector>

#include "clang/Frontend/CompilerInstance.h"
#include "macros/Conditionals.h"
#include "macros/Recorder.h"
#include "pragma/Directives.h"

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
  // Of the original, what becomes blanks. Line ends stay, and so do offsets.
  std::vector<TextRange> blanks;

  // `text`: with the same offsets.
  std::string apply(llvm::StringRef text) const;
  OffsetMap offsets() const;
};

// What the preprocessor did in a parse.
struct PreprocessorRecord {
  MacroRecorder macros;
  ConditionalRecorder conditionals;
  // To be called before the first token; `this` must outlive the preprocessor's last one.
  void watch(clang::Preprocessor& preprocessor);
};

// The files of a parse in which something has to be expanded. Constructs are looked for in the traversal scope:
// OpenMP's, and all that allocates where `directives` name arrays.
std::vector<ExpandedFile> expandFiles(clang::CompilerInstance& instance, PreprocessorRecord& record,
                                      const DirectiveTable& directives);

}  // namespace muster::plugin
