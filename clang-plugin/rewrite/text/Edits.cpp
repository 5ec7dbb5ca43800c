// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collecting, verifying and applying edits.
#include "rewrite/text/Edits.h"

#include <algorithm>
#include <tuple>

#include "clang/Lex/Lexer.h"
#include "rewrite/text/LineMarkers.h"
#include "source/UserFiles.h"

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
  edits_.push_back(
      {file, offset, length, static_cast<unsigned>(edits_.size()) + 1, std::move(text), givesWay, current_});
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

bool EditList::insertCopy(SourceLocation token, std::string before, const Passage& passage, std::string behind) {
  if (!insertAfter(token, std::move(before))) return false;
  edits_.back().copy = {sources_.getFileOffset(passage.begin), sources_.getFileOffset(passage.edited),
                        sources_.getFileOffset(passage.end), std::move(behind)};
  return true;
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

void EditList::insertAtTop(std::string text) { top_.emplace_back(std::move(text), current_); }

ConstructEdits::ConstructEdits(EditList& edits, const Construct& construct) : edits_(edits), outer_(edits.current_) {
  auto& all = edits.constructs_;
  const auto known = llvm::find_if(all, [&](const Construct& other) { return other.loc == construct.loc; });
  edits.current_ = static_cast<unsigned>(known - all.begin());
  if (known == all.end()) all.push_back(construct);
}

static std::string beginOfHeader(const Dialect& dialect, const HeaderPlace& header) {
  std::string hidden;
  for (const std::string& name : header.macros) hidden += "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n";
  return std::string(header.offset == 0 ? "" : "\n") + hidden + "#include \"" + dialect.header() + "\"\n";
}

static std::string endOfHeader(const HeaderPlace& header) {
  std::string shown;
  for (const std::string& name : header.macros) shown.insert(0, "#pragma pop_macro(\"" + name + "\")\n");
  return shown + "#line " + std::to_string(header.line) + "\n";
}

std::string withHeader(const Dialect& dialect, llvm::StringRef text, const HeaderPlace& header) {
  return text.take_front(header.offset).str() + beginOfHeader(dialect, header) + endOfHeader(header) +
         text.drop_front(header.offset).str();
}

// Not in every file: <vector> alone doubles the time of a small one.
std::string EditList::headersOfEdits() const {
  const bool vectors = llvm::any_of(edits_, [](const Edit& edit) {
    return llvm::any_of(llvm::ArrayRef({"::muster::VectorView<", "::muster::manageVector", "::muster::findRows(",
                                        "::muster::manageRows(", "::muster::rowScope(", "::muster::rowsScope(",
                                        "::muster::newRowScope("}),
                        [&](llvm::StringRef name) { return llvm::StringRef(edit.text).contains(name); });
  });
  return vectors ? "#include \"muster/vectors.hpp\"\n" : "";
}

std::vector<EditList::Edit> EditList::headerEdits(const HeaderPlace& header) const {
  std::vector<Edit> edits;
  const auto add = [&](std::string text, std::optional<unsigned> construct) {
    edits.push_back({sources_.getMainFileID(), header.offset, 0, 0, std::move(text), false, construct});
  };
  add(beginOfHeader(Dialect(options_), header) + headersOfEdits(), std::nullopt);
  for (const auto& [text, construct] : top_) add(text, construct);
  add(endOfHeader(header), std::nullopt);
  return edits;
}

EditedTexts EditList::apply(const SourceTexts& base, const HeaderPlace& header) const {
  std::map<clang::FileID, std::vector<Edit>> byFile;
  byFile[sources_.getMainFileID()] = headerEdits(header);
  for (const Edit& edit : edits_) byFile[edit.file].push_back(edit);
  EditedTexts result;
  result.texts.headers = base.headers;
  for (auto& [file, edits] : byFile) {
    if (file == sources_.getMainFileID()) {
      result.texts.main = applyAll(std::move(edits), base.main, nullptr, result);
      continue;
    }
    const clang::FileEntryRef entry = *sources_.getFileEntryRefForID(file);
    FileTexts& headers = result.texts.headers;
    auto own = llvm::find_if(headers, [&](const auto& known) { return known.first == entry; });
    if (own == headers.end()) {
      headers.emplace_back(entry, sources_.getBufferData(file).str());
      own = std::prev(headers.end());
    }
    own->second = applyAll(std::move(edits), own->second, &entry.getFileEntry(), result);
  }
  return result;
}

std::string EditList::textOf(const Edit::Copy& copy, const std::vector<Edit>& edits, llvm::StringRef base) {
  std::vector<Edit> inside;
  for (const Edit& edit : edits)
    if (edit.offset >= copy.edited && edit.offset < copy.end && edit.offset + edit.length <= copy.end) {
      inside.push_back(edit);
      inside.back().offset -= copy.edited;
    }
  EditedTexts apart;
  return base.slice(copy.begin, copy.edited).str() +
         applyAll(std::move(inside), base.slice(copy.edited, copy.end), nullptr, apart) + copy.behind;
}

std::string EditList::applyAll(std::vector<Edit> edits, llvm::StringRef base, const clang::FileEntry* file,
                               EditedTexts& result) {
  // Insertions in front of a replacement at the same place, the header in front of all.
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::tuple(a.offset, a.length != 0, a.order) < std::tuple(b.offset, b.length != 0, b.order);
  });
  std::string text;
  unsigned at = 0;
  for (const Edit& edit : edits) {
    if (edit.givesWay && edit.offset + edit.length <= at) continue;
    if (edit.offset < at) {
      result.conflict = "two edits of one place, at offset " + std::to_string(edit.offset);
      result.conflicting = edit.construct;
      return "";
    }
    text += base.slice(at, edit.offset);
    const auto begin = static_cast<unsigned>(text.size());
    text += edit.text;
    if (edit.copy) text += textOf(*edit.copy, edits, base);
    if (edit.construct) result.placed.push_back({file, begin, static_cast<unsigned>(text.size()), *edit.construct});
    at = edit.offset + edit.length;
  }
  return text + base.drop_front(at).str();
}

std::string EditList::lineMarker(SourceLocation loc) const {
  const clang::PresumedLoc place = sources_.getPresumedLoc(sources_.getFileLoc(loc));
  return "\n#line " + std::to_string(place.isValid() ? place.getLine() : 1) + "\n";
}

}  // namespace muster::plugin
