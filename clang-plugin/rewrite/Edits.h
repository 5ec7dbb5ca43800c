// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of the main file's text: collected, verified (no macro, no other file, no overlap), applied all or none.
#pragma once

#include <string>
#include <vector>

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Error.h"

namespace muster::plugin {

class EditList {
 public:
  EditList(const clang::SourceManager &sources, const clang::LangOptions &options)
      : sources_(sources), options_(options) {}

  // The text of a token range as it stands in the main file; nullopt where a macro or another file is involved.
  std::optional<std::string> text(clang::SourceRange tokens) const;

  // Replace a token range / insert in front of a token / behind the last character of a token. False, and nothing
  // is collected, where the place is not plain text of the main file.
  bool replace(clang::SourceRange tokens, std::string text);
  bool insertBefore(clang::SourceLocation token, std::string text);
  bool insertAfter(clang::SourceLocation token, std::string text);
  // Text in front of the whole file.
  void insertAtTop(std::string text);

  // The whole edited text. An error (overlapping edits) means that nothing may be applied.
  llvm::Expected<std::string> apply() const;

  // "#line N" text that gives what follows the line of `loc` again; starts and ends with a newline.
  std::string lineMarker(clang::SourceLocation loc) const;

 private:
  struct Edit {
    unsigned offset = 0, length = 0, order = 0;
    std::string text;
  };
  const clang::SourceManager &sources_;
  const clang::LangOptions &options_;
  std::vector<Edit> edits_;
  std::string top_;
};

}  // namespace muster::plugin
