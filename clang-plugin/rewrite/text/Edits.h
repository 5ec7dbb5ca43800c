// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of the text of the main file and of the user's headers: collected, verified (no macro, no file of others, no
// overlap), applied all or none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "pragma/Scan.h"
#include "rewrite/text/Dialect.h"

namespace muster::plugin {

// Contents for files, in place of those on disk.
using FileTexts = std::vector<std::pair<clang::FileEntryRef, std::string>>;

// What a compile reads: the main file, and headers in place of those on disk.
struct SourceTexts {
  std::string main;
  FileTexts headers;
};

// A loop, a region or an array, whose edits belong together and can be left out.
struct Construct {
  clang::SourceLocation loc;  // of the directive, or of the array's name in one
  bool isArray = false;
};

// Texts that came of edits, and where in them each construct is.
struct EditedTexts {
  struct Placed {
    const clang::FileEntry* file;  // nullptr: the main one
    unsigned begin, end;
    unsigned construct;  // its number
  };
  SourceTexts texts;
  std::vector<Placed> placed;
  // Not empty: edits overlap, and there are no texts.
  std::string conflict;
  std::optional<unsigned> conflicting;  // one of the constructs
};

class EditList {
 public:
  EditList(const clang::SourceManager& sources, const clang::LangOptions& options)
      : sources_(sources), options_(options) {}

  // The text of a token range as it stands in a file; nullopt where a part of a macro, an argument of a macro or
  // a file of others (source/UserFiles.h) is involved. A range that starts or ends with a whole macro invocation is
  // plain text.
  std::optional<std::string> text(clang::SourceRange tokens) const;

  // Replace a token range / insert in front of a token / behind the last character of a token. False, and nothing
  // is collected, where the place is not plain text of one of these files.
  // `givesWay`: to a replacement of the text around it.
  bool replace(clang::SourceRange tokens, std::string text, bool givesWay = false);
  bool insertBefore(clang::SourceLocation token, std::string text);
  bool insertAfter(clang::SourceLocation token, std::string text);
  // What stands in a file: as the user wrote it up to `edited`, from there on with all edits.
  struct Passage {
    clang::SourceLocation begin, edited, end;
  };
  // The same as insertAfter, with this passage, once more, between two texts.
  bool insertCopy(clang::SourceLocation token, std::string before, const Passage& passage, std::string behind);
  // Replace the token that spells `loc`, also in the body of a macro. Once for each token.
  bool replaceSpelling(clang::SourceLocation loc, std::string text);
  // Replaces the characters of [begin, end), both in one of these files.
  bool replaceCharacters(clang::SourceLocation begin, clang::SourceLocation end, std::string text);
  // Text in front of the first declaration of the file, behind Muster's header.
  void insertAtTop(std::string text);

  const std::vector<Construct>& constructs() const { return constructs_; }

  // What was collected after mark() can be taken back: a construct is rewritten whole or not at all.
  std::size_t mark() const { return edits_.size(); }
  void takeBack(std::size_t mark) { edits_.resize(mark); }

  // Edits `base`, texts with the same offsets as the files; headers of which it has none are edited as they are.
  // Muster's header goes in at `header`. Insertions at one place come in the order in which they were asked for;
  // replacements of what lies inside another replacement overlap.
  EditedTexts apply(const SourceTexts& base, const HeaderPlace& header) const;

  // "#line N" text that gives what follows the line of `loc` again; starts and ends with a newline.
  std::string lineMarker(clang::SourceLocation loc) const;

 private:
  struct Edit {
    clang::FileID file;
    unsigned offset = 0, length = 0, order = 0;
    std::string text;
    bool givesWay = false;
    std::optional<unsigned> construct;
    struct Copy {
      unsigned begin, edited, end;  // offsets
      std::string behind;
    };
    std::optional<Copy> copy = {};
  };
  std::optional<clang::CharSourceRange> plainRange(clang::SourceRange tokens) const;
  bool add(clang::SourceLocation begin, unsigned length, std::string text, bool givesWay = false);
  // Those of Muster's headers that some of the edits need, as #include lines.
  std::string headersOfEdits() const;
  std::vector<Edit> headerEdits(const HeaderPlace& header) const;
  static std::string textOf(const Edit::Copy& copy, const std::vector<Edit>& edits, llvm::StringRef base);
  static std::string applyAll(std::vector<Edit> edits, llvm::StringRef base, const clang::FileEntry* file,
                              EditedTexts& result);

  const clang::SourceManager& sources_;
  const clang::LangOptions& options_;
  std::vector<Edit> edits_;
  std::vector<std::pair<std::string, std::optional<unsigned>>> top_;  // and the construct
  std::vector<Construct> constructs_;
  friend class ConstructEdits;
  std::optional<unsigned> current_;
};

// While it lives, what is collected belongs to a construct. (One may come again.)
class ConstructEdits {
 public:
  ConstructEdits(EditList& edits, const Construct& construct);
  ~ConstructEdits() { edits_.current_ = outer_; }
  ConstructEdits(const ConstructEdits&) = delete;
  ConstructEdits& operator=(const ConstructEdits&) = delete;

 private:
  EditList& edits_;
  const std::optional<unsigned> outer_;
};

// The text with Muster's header.
std::string withHeader(const Dialect& dialect, llvm::StringRef text, const HeaderPlace& header);

}  // namespace muster::plugin
