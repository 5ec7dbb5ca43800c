// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collecting, verifying and applying edits.
#include "rewrite/Edits.h"

#include <algorithm>
#include <tuple>

#include "analysis/UserFiles.h"
#include "clang/Lex/Lexer.h"
#include "rewrite/Dialect.h"
#include "rewrite/LineMarkers.h"

namespace muster::plugin {

using clang::CharSourceRange;
using clang::SourceLocation;
using clang::SourceRange;

std::optional<CharSourceRange> EditList::plainRange(SourceRange tokens) const {
  if (tokens.isInvalid()) return std::nullopt;
  // An argument of a macro may be expanded several times, or turned into a string.
  for (SourceLocation loc : {tokens.getBegin(), tokens.getEnd()})
    for (; loc.isMacroID(); loc = sources_.getImmediateMacroCallerLoc(loc))
      if (sources_.isMacroArgExpansion(loc)) return std::nullopt;
  const CharSourceRange range =
      clang::Lexer::makeFileCharRange(CharSourceRange::getTokenRange(tokens), sources_, options_);
  if (range.isInvalid() || !isRewritable(sources_, range.getBegin())) return std::nullopt;
  return range;
}

std::optional<std::string> EditList::text(SourceRange tokens) const {
  const auto range = plainRange(tokens);
  if (!range) return std::nullopt;
  return clang::Lexer::getSourceText(*range, sources_, options_).str();
}

bool EditList::add(SourceLocation begin, unsigned length, std::string text, bool givesWay) {
  const auto [file, offset] = sources_.getDecomposedLoc(begin);
  // The AST holds some expressions twice.
  for (const Edit& edit : edits_)
    if (length != 0 && edit.file == file && edit.offset == offset && edit.length == length && edit.text == text)
      return true;
  edits_.push_back({file, offset, length, static_cast<unsigned>(edits_.size()) + 1, std::move(text), givesWay});
  return true;
}

bool EditList::replace(SourceRange tokens, std::string text, bool givesWay) {
  const auto range = plainRange(tokens);
  if (!range) return false;
  const unsigned length = sources_.getFileOffset(range->getEnd()) - sources_.getFileOffset(range->getBegin());
  return add(range->getBegin(), length, std::move(text), givesWay);
}

bool EditList::insertBefore(SourceLocation token, std::string text) {
  const auto range = plainRange(token);
  return range && add(range->getBegin(), 0, std::move(text));
}

bool EditList::insertAfter(SourceLocation token, std::string text) {
  const auto range = plainRange(token);
  return range && add(range->getEnd(), 0, std::move(text));
}

bool EditList::replaceSpelling(SourceLocation loc, std::string text) {
  const SourceLocation spelling = sources_.getSpellingLoc(loc);
  if (!isRewritable(sources_, spelling)) return false;
  const unsigned length = clang::Lexer::MeasureTokenLength(spelling, sources_, options_);
  return add(spelling, length, std::move(text));
}

bool EditList::replaceCharacters(SourceLocation begin, SourceLocation end, std::string text) {
  if (!begin.isFileID() || !end.isFileID() || !isRewritable(sources_, begin)) return false;
  return add(begin, sources_.getFileOffset(end) - sources_.getFileOffset(begin), std::move(text));
}

void EditList::insertAtTop(std::string text) { top_ += text; }

static std::string headerText(const Dialect& dialect, const HeaderPlace& header, llvm::StringRef declarations) {
  std::string hidden, shown;
  for (const std::string& name : header.macros) {
    hidden += "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n";
    shown.insert(0, "#pragma pop_macro(\"" + name + "\")\n");
  }
  return std::string(header.offset == 0 ? "" : "\n") + hidden + "#include \"" + dialect.header() + "\"\n" +
         declarations.str() + shown + "#line " + std::to_string(header.line) + "\n";
}

std::string withHeader(const Dialect& dialect, llvm::StringRef text, const HeaderPlace& header) {
  return text.take_front(header.offset).str() + headerText(dialect, header, "") + text.drop_front(header.offset).str();
}

// Not in every file: <vector> alone doubles the time of a small one.
std::string EditList::headersOfEdits() const {
  const bool vectors = llvm::any_of(edits_, [](const Edit& edit) {
    return llvm::any_of(
        llvm::ArrayRef({"muster::VectorView<", "muster::manageVector", "muster::findRows(", "muster::manageRows(",
                        "muster::rowScope(", "muster::rowsScope(", "muster::newRowScope("}),
        [&](llvm::StringRef name) { return llvm::StringRef(edit.text).contains(name); });
  });
  return vectors ? "#include \"muster/vectors.hpp\"\n" : "";
}

llvm::Expected<std::string> EditList::apply(llvm::StringRef base, const HeaderPlace& header) const {
  std::vector<Edit> edits;
  llvm::copy_if(edits_, std::back_inserter(edits),
                [&](const Edit& edit) { return edit.file == sources_.getMainFileID(); });
  edits.push_back(
      {sources_.getMainFileID(), header.offset, 0, 0, headerText(Dialect(options_), header, headersOfEdits() + top_)});
  return applyAll(std::move(edits), base);
}

llvm::Expected<FileTexts> EditList::applyToHeaders(const FileTexts& bases) const {
  std::map<clang::FileID, std::vector<Edit>> byFile;
  for (const Edit& edit : edits_)
    if (edit.file != sources_.getMainFileID()) byFile[edit.file].push_back(edit);
  FileTexts headers = bases;
  for (auto& [file, edits] : byFile) {
    const clang::FileEntryRef entry = *sources_.getFileEntryRefForID(file);
    auto header = llvm::find_if(headers, [&](const auto& base) { return base.first == entry; });
    if (header == headers.end()) {
      headers.emplace_back(entry, sources_.getBufferData(file).str());
      header = std::prev(headers.end());
    }
    llvm::Expected<std::string> text = applyAll(std::move(edits), header->second);
    if (!text) return text.takeError();
    header->second = std::move(*text);
  }
  return headers;
}

llvm::Expected<std::string> EditList::applyAll(std::vector<Edit> edits, llvm::StringRef base) {
  // Insertions in front of a replacement at the same place, the header in front of all.
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::tuple(a.offset, a.length != 0, a.order) < std::tuple(b.offset, b.length != 0, b.order);
  });
  std::string result;
  unsigned at = 0;
  for (const Edit& edit : edits) {
    if (edit.givesWay && edit.offset + edit.length <= at) continue;
    if (edit.offset < at)
      return llvm::createStringError(std::errc::invalid_argument, "two edits of one place, at offset %u", edit.offset);
    result += base.slice(at, edit.offset);
    result += edit.text;
    at = edit.offset + edit.length;
  }
  result += base.drop_front(at);
  return result;
}

std::string EditList::lineMarker(SourceLocation loc) const {
  const clang::PresumedLoc place = sources_.getPresumedLoc(sources_.getFileLoc(loc));
  return "\n#line " + std::to_string(place.isValid() ? place.getLine() : 1) + "\n";
}

}  // namespace muster::plugin
