// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditionals (#if to #endif) of the user's files, and which of their branches were taken: a construct that a
// conditional cuts (`#ifdef _OPENMP`, a directive, `#endif`, the loop) can be rewritten only once nothing but the
// branch stands in the text.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "source/UserFiles.h"

namespace muster::plugin {

struct Conditional {
  std::vector<TextRange> lines;  // #if, #elif ..., #else, #endif: from the '#' to behind the last token
};

class ConditionalRecorder {
 public:
  // To be called before the first token; `this` must outlive the preprocessor's last one.
  void watch(clang::Preprocessor& preprocessor);

  const SkippedText& skipped() const { return skipped_; }
  // Those of which some lines, but not all, lie in [begin, end); with `anyLine` all that have a line there.
  std::vector<const Conditional*> find(clang::FileID file, TextRange range, bool anyLine);
  // Behind the semicolon that the compiler saw behind `offset`, or `offset` if it saw another token.
  unsigned behindSemicolon(clang::FileID file, unsigned offset) const;
  // What of the conditional goes away if the branch that was taken takes its place: the lines and other branches.
  std::vector<TextRange> allButTaken(clang::FileID file, const Conditional& conditional) const;

 private:
  friend class SkipObserver;

  struct FileConditionals {
    std::vector<std::unique_ptr<Conditional>> all;
    std::map<unsigned, const Conditional*> byLine;  // by where a line begins
  };
  const FileConditionals& conditionalsOf(clang::FileID file);
  bool isSkipped(clang::FileID file, unsigned offset) const;
  clang::Lexer rawLexer(clang::FileID file, unsigned offset) const;

  const clang::SourceManager* sources_ = nullptr;
  const clang::LangOptions* options_ = nullptr;
  SkippedText skipped_;
  std::map<clang::FileID, FileConditionals> read_;
};

}  // namespace muster::plugin
