// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses a text as if it were the main file of a running compile, in a compiler instance of its own. The outer
// compile does not notice: no outputs, no plugins, and no diagnostics but those of Muster's stages.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "DiagnosticFilter.h"
#include "Options.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendOptions.h"
#include "macros/Expand.h"
#include "rewrite/text/Edits.h"

namespace muster::plugin {

// What a stage says. The user gets it once the text that came of the stages is known to compile.
struct Report {
  clang::DiagnosticsEngine::Level level;
  clang::SourceLocation loc;  // in the outer compile
  std::string text;
  bool isRemark = false;    // also if it is an error, by the option `strict`
  bool isSilenced = false;  // by the options: it goes to the record file only
};

struct NestedOutcome {
  unsigned errors = 0;         // of clang's own, not of Muster's stages
  bool reportedError = false;  // a stage reported one
  TextError firstError;
  std::vector<Report> reports;
  clang::SourceLocation unknownDirective;  // in the outer compile: of an OpenMP directive that clang does not know
  std::set<WarningPlace> warnings;         // clang's: what the user's text deserves
};

class NestedCompile {
 public:
  // `original` is the main file's text, for the places that reports point at.
  NestedCompile(clang::CompilerInstance& outer, clang::FrontendInputFile input, std::string original);

  // True while a nested compile runs in this thread: the plugin registry calls us again then.
  static bool active();

  using OnPreprocessor = std::function<void(clang::Preprocessor&)>;
  using OnAst = std::function<void(clang::CompilerInstance&)>;
  // `prepare` is called before the first token, `onAst` with the complete AST. Offsets in `texts` that stages report at
  // must be those of the original, or of one in which macros are expanded.
  NestedOutcome parse(const SourceTexts& texts, const Options& options, const OnPreprocessor& prepare,
                      const OnAst& onAst);
  // Whether `texts` compile: like parse() without looking at the AST. Bodies of functions in the system's headers,
  // which the first parse has seen, are passed over: that is half of the time.
  NestedOutcome check(const SourceTexts& texts, const OnPreprocessor& prepare);

  // Does what the outer compile was to do, with these texts, and writes what it was to write. False: `client` got an
  // error, and nothing is written.
  bool compile(const SourceTexts& texts, const std::string& includeFolder, clang::DiagnosticConsumer& client);

  // The texts to come have these replacements.
  void setExpanded(const std::vector<ExpandedFile>& files);
  // For a place in a text with replacements: where that is in the original; nullptr: the main file.
  unsigned originalOffset(const clang::FileEntry* file, unsigned offset) const;

  // For a place that a nested compile's source manager knows: where that is in the outer one's.
  clang::SourceLocation originalLocation(const clang::SourceManager& sources, clang::SourceLocation loc);
  // The place of the original text at `offset`, in the outer compile's source manager.
  clang::SourceLocation originalLocation(unsigned offset);
  // The same for a header.
  clang::SourceLocation originalLocation(clang::FileEntryRef header, unsigned offset);

 private:
  std::shared_ptr<clang::CompilerInvocation> makeInvocation(const SourceTexts& texts) const;
  NestedOutcome run(std::shared_ptr<clang::CompilerInvocation> invocation, const Options& options,
                    const OnPreprocessor& prepare, const OnAst& onAst);

  clang::CompilerInstance& outer_;
  clang::FrontendInputFile input_;
  std::string original_;
  clang::FileID originalFile_;
  std::map<const clang::FileEntry*, clang::FileID> originalHeaders_;
  std::map<const clang::FileEntry*, OffsetMap> expanded_;
};

// In a thread of its own: generated code has expressions of thousands of terms, which are walked down recursively.
void runWithLargeStack(llvm::function_ref<void()> action);

}  // namespace muster::plugin
