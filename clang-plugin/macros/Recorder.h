// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records what the macros of the user's files expand to while they are parsed, so that an invocation can be replaced
// by its text: a construct whose directive or body a macro makes can be rewritten only once it stands in the text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "clang/Lex/Preprocessor.h"

namespace muster::plugin {

enum class TokenRole { Plain, DirectiveBegin, DirectiveEnd };

struct ExpandedToken {
  clang::Token token;
  TokenRole role = TokenRole::Plain;
};

// An invocation in a file, or a _Pragma that stands there, with all tokens that come of it.
struct Expansion {
  clang::SourceLocation begin, end;  // its first and its last token, in the file
  std::vector<ExpandedToken> tokens;
  bool isOpaque = false;  // the text of the tokens would not mean the same
  bool hasOurs = false;   // makes a directive of ours
};

class MacroRecorder {
 public:
  // To be called before the first token; `this` must outlive the preprocessor's last one.
  void watch(clang::Preprocessor& preprocessor);

  // The expansion that holds `loc`; nullptr if it is plain text.
  const Expansion* find(clang::SourceLocation loc) const;
  // To be called when all tokens were seen.
  void finish();
  const std::vector<Expansion>& expansions() const { return expansions_; }

  // What stands for the invocation: arguments on the lines where they stand, directives as lines of their own.
  std::string textOf(const Expansion& expansion) const;

 private:
  friend class EffectObserver;
  friend class ExtensionHandler;

  void see(const clang::Token& token);
  // Something that the tokens do not tell: a _Pragma that is no directive, a step of __COUNTER__.
  void seeEffect(clang::SourceLocation loc) { effects_.insert(loc); }
  // One of ours in the namespace `ompx`, which clang does not know.
  void seeExtension(clang::SourceLocation loc, const std::vector<clang::Token>& tokens);
  void beginDirective(clang::SourceLocation loc);
  // The expansion that a token with this place belongs to.
  Expansion& expansionAt(clang::SourceLocation loc);
  bool contains(const Expansion& expansion, clang::SourceLocation loc) const;
  void add(Expansion& expansion, const clang::Token& token) const;

  clang::Preprocessor* preprocessor_ = nullptr;
  const clang::SourceManager* sources_ = nullptr;
  std::vector<Expansion> expansions_;
  std::set<clang::SourceLocation> effects_;  // without the _Pragmas of directives
  bool inLine_ = false;                      // in a #pragma omp line
  bool isBegun_ = false;                     // behind the begin of a directive that a _Pragma makes
};

}  // namespace muster::plugin
