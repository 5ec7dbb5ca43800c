// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "macros/Conditionals.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

namespace muster::plugin {

using namespace clang;

class SkipObserver : public PPCallbacks {
 public:
  explicit SkipObserver(ConditionalRecorder& recorder) : recorder_(recorder) {}
  void SourceRangeSkipped(SourceRange range, SourceLocation) override {
    const auto [file, begin] = recorder_.sources_->getDecomposedLoc(range.getBegin());
    recorder_.skipped_[file].push_back({begin, recorder_.sources_->getFileOffset(range.getEnd())});
  }

 private:
  ConditionalRecorder& recorder_;
};

void ConditionalRecorder::watch(Preprocessor& preprocessor) {
  sources_ = &preprocessor.getSourceManager();
  options_ = &preprocessor.getLangOpts();
  preprocessor.addPPCallbacks(std::make_unique<SkipObserver>(*this));
}

Lexer ConditionalRecorder::rawLexer(FileID file, unsigned offset) const {
  const llvm::StringRef text = sources_->getBufferData(file);
  return Lexer(sources_->getLocForStartOfFile(file), *options_, text.begin(), text.begin() + offset, text.end());
}

// The '#' of the line that begins a skipped range is not: the branch in front of it was taken.
bool ConditionalRecorder::isSkipped(FileID file, unsigned offset) const {
  const auto ranges = skipped_.find(file);
  return ranges != skipped_.end() && llvm::any_of(ranges->second, [&](const TextRange& range) {
           return range.first < offset && offset < range.second;
         });
}

// Behind the last token of the line that `token` is on, which becomes the first one of the next line.
static unsigned passLine(Lexer& lexer, Token& token, const SourceManager& sources) {
  unsigned end = 0;
  do {
    end = sources.getFileOffset(token.getEndLoc());
    lexer.LexFromRawLexer(token);
  } while (!token.isAtStartOfLine() && token.isNot(tok::eof));
  return end;
}

const ConditionalRecorder::FileConditionals& ConditionalRecorder::conditionalsOf(FileID file) {
  const auto [known, isNew] = read_.try_emplace(file);
  FileConditionals& result = known->second;
  if (!isNew) return result;
  Lexer lexer = rawLexer(file, 0);
  Token token;
  std::vector<Conditional*> open;
  for (lexer.LexFromRawLexer(token); token.isNot(tok::eof);) {
    if (!token.is(tok::hash) || !token.isAtStartOfLine()) {
      lexer.LexFromRawLexer(token);
      continue;
    }
    const unsigned begin = sources_->getFileOffset(token.getLocation());
    lexer.LexFromRawLexer(token);
    if (token.isAtStartOfLine() || token.is(tok::eof)) continue;
    const std::string name = token.is(tok::raw_identifier) ? Lexer::getSpelling(token, *sources_, *options_) : "";
    const TextRange line(begin, passLine(lexer, token, *sources_));
    const bool begins = name == "if" || name == "ifdef" || name == "ifndef";
    if (begins) {
      result.all.push_back(std::make_unique<Conditional>());
      open.push_back(result.all.back().get());
    }
    if (open.empty() || !(begins || name == "endif" || llvm::StringRef(name).starts_with("el"))) continue;
    open.back()->lines.push_back(line);
    result.byLine[begin] = open.back();
    if (name == "endif") open.pop_back();
  }
  return result;
}

std::vector<const Conditional*> ConditionalRecorder::find(FileID file, TextRange range, bool anyLine) {
  const auto& byLine = conditionalsOf(file).byLine;
  std::map<const Conditional*, std::size_t> inside;
  for (auto line = byLine.lower_bound(range.first); line != byLine.end() && line->first < range.second; ++line)
    ++inside[line->second];
  std::vector<const Conditional*> found;
  for (const auto& [conditional, lines] : inside)
    if (anyLine || lines != conditional->lines.size()) found.push_back(conditional);
  return found;
}

unsigned ConditionalRecorder::behindSemicolon(FileID file, unsigned offset) const {
  Lexer lexer = rawLexer(file, offset);
  Token token;
  for (lexer.LexFromRawLexer(token); token.isNot(tok::eof);) {
    const bool isLine = token.is(tok::hash) && token.isAtStartOfLine();
    if (!isLine && !isSkipped(file, sources_->getFileOffset(token.getLocation()))) break;
    passLine(lexer, token, *sources_);
  }
  return token.is(tok::semi) ? sources_->getFileOffset(token.getEndLoc()) : offset;
}

std::vector<TextRange> ConditionalRecorder::allButTaken(FileID file, const Conditional& conditional) const {
  std::vector<TextRange> ranges;
  for (const TextRange& line : conditional.lines) {
    // What ends a branch that was not taken lies in the range that was skipped.
    if (!ranges.empty() && isSkipped(file, line.first))
      ranges.back().second = line.second;
    else
      ranges.push_back(line);
  }
  return ranges;
}

}  // namespace muster::plugin
