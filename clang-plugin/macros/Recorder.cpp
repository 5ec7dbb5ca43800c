// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "macros/Recorder.h"

#include "clang/Lex/Pragma.h"
#include "pragma/Scan.h"

namespace muster::plugin {

using namespace clang;

class EffectObserver : public PPCallbacks {
 public:
  explicit EffectObserver(MacroRecorder& recorder) : recorder_(recorder) {}
  void PragmaDirective(SourceLocation loc, PragmaIntroducerKind introducer) override {
    if (introducer == PIK__Pragma) recorder_.seeEffect(loc);
  }
  void MacroExpands(const Token& name, const MacroDefinition&, SourceRange range, const MacroArgs*) override {
    if (name.getIdentifierInfo()->isStr("__COUNTER__")) recorder_.seeEffect(range.getBegin());
  }

 private:
  MacroRecorder& recorder_;
};

class ExtensionHandler : public PragmaHandler {
 public:
  ExtensionHandler(llvm::StringRef name, MacroRecorder& recorder) : PragmaHandler(name), recorder_(recorder) {}
  void HandlePragma(Preprocessor& preprocessor, PragmaIntroducer introducer, Token& first) override {
    std::vector<Token> tokens;
    for (Token token = first; token.isNot(tok::eod); preprocessor.LexUnexpandedToken(token)) tokens.push_back(token);
    if (introducer.Kind == PIK__Pragma) recorder_.seeExtension(introducer.Loc, tokens);
  }

 private:
  MacroRecorder& recorder_;
};

void MacroRecorder::watch(Preprocessor& preprocessor) {
  preprocessor_ = &preprocessor;
  sources_ = &preprocessor.getSourceManager();
  preprocessor.setTokenWatcher([this](const Token& token) { see(token); });
  preprocessor.addPPCallbacks(std::make_unique<EffectObserver>(*this));
  for (llvm::StringRef name : {"managed", "alloc_start", "alloc_end"})
    preprocessor.AddPragmaHandler("ompx", new ExtensionHandler(name, *this));
}

bool MacroRecorder::contains(const Expansion& expansion, SourceLocation loc) const {
  const auto [file, offset] = sources_->getDecomposedLoc(loc);
  const auto [ownFile, begin] = sources_->getDecomposedLoc(expansion.begin);
  return file == ownFile && begin <= offset && offset <= sources_->getFileOffset(expansion.end);
}

Expansion& MacroRecorder::expansionAt(SourceLocation loc) {
  const CharSourceRange range = sources_->getExpansionRange(loc);
  // What begins in a macro may end with the text behind it: `#define CALL f` and `CALL(x)`.
  if (expansions_.empty() || !contains(expansions_.back(), range.getBegin())) {
    expansions_.push_back({range.getBegin(), range.getEnd(), {}});
  } else if (sources_->getFileOffset(expansions_.back().end) < sources_->getFileOffset(range.getEnd())) {
    expansions_.back().end = range.getEnd();
  }
  Expansion& expansion = expansions_.back();
  if (inLine_) expansion.isOpaque = true;  // a directive's line is left as it is
  return expansion;
}

void MacroRecorder::add(Expansion& expansion, const Token& token) const {
  // Names of macros that are not expanded here would be if they stood in the text.
  const IdentifierInfo* name = token.isAnnotation() || token.isLiteral() ? nullptr : token.getIdentifierInfo();
  if (name && name->hasMacroDefinition()) expansion.isOpaque = true;
  expansion.tokens.push_back({token, TokenRole::Plain});
}

void MacroRecorder::see(const Token& token) {
  const SourceLocation loc = token.getLocation();
  if (token.is(tok::annot_pragma_openmp)) return beginDirective(loc);
  if (token.is(tok::annot_pragma_openmp_end)) {
    if (!inLine_ && !isBegun_ && !expansions_.empty())
      expansions_.back().tokens.push_back({token, TokenRole::DirectiveEnd});
    inLine_ = isBegun_ = false;
    return;
  }
  if (!loc.isMacroID() || sources_->isInSystemHeader(loc)) return;
  if (token.isAnnotation() && !tok::isPragmaAnnotation(token.getKind())) return;  // the parser's
  Expansion& expansion = expansionAt(loc);
  if (token.isAnnotation()) {
    expansion.isOpaque = true;
    return;
  }
  if (std::exchange(isBegun_, false)) {
    expansion.tokens.push_back({token, TokenRole::DirectiveBegin});
    expansion.hasOurs |= isDirectiveName(preprocessor_->getSpelling(token));
  }
  add(expansion, token);
}

void MacroRecorder::beginDirective(SourceLocation loc) {
  effects_.erase(loc);
  inLine_ = loc.isFileID() && *sources_->getCharacterData(loc) != '_';
  isBegun_ = !inLine_;
}

void MacroRecorder::seeExtension(SourceLocation loc, const std::vector<Token>& tokens) {
  effects_.erase(loc);
  if (tokens.empty() || sources_->isInSystemHeader(loc)) return;
  Expansion& expansion = expansionAt(tokens.front().getLocation());
  expansion.hasOurs = true;
  expansion.tokens.push_back({tokens.front(), TokenRole::DirectiveBegin});
  for (const Token& token : tokens) add(expansion, token);
  expansion.tokens.push_back({tokens.back(), TokenRole::DirectiveEnd});
}

void MacroRecorder::finish() {
  for (Expansion& expansion : expansions_)
    expansion.isOpaque |=
        llvm::any_of(effects_, [&](SourceLocation loc) { return contains(expansion, sources_->getExpansionLoc(loc)); });
}

const Expansion* MacroRecorder::find(SourceLocation loc) const {
  loc = sources_->getExpansionLoc(loc);
  for (const Expansion& expansion : expansions_)
    if (contains(expansion, loc)) return &expansion;
  return nullptr;
}

std::string MacroRecorder::textOf(const Expansion& expansion) const {
  unsigned line = sources_->getPresumedLineNumber(expansion.begin);
  const auto marker = [&] { return "\n#line " + std::to_string(line) + "\n"; };
  const auto descendTo = [&](SourceLocation loc, std::string& text) {
    loc = sources_->getFileLoc(loc);
    if (!contains(expansion, loc)) return;
    for (const unsigned wanted = sources_->getPresumedLineNumber(loc); line < wanted; ++line) text += '\n';
  };
  std::string text;
  bool inDirective = false;
  for (const auto& [token, role] : expansion.tokens) {
    if (role == TokenRole::DirectiveBegin) {
      text += marker() + "#pragma omp";
      inDirective = true;
      continue;
    }
    if (role == TokenRole::DirectiveEnd) {
      text += marker();
      inDirective = false;
      continue;
    }
    if (!inDirective) descendTo(token.getLocation(), text);
    const std::string spelling = preprocessor_->getSpelling(token);
    text += " " + spelling;
    line += static_cast<unsigned>(llvm::StringRef(spelling).count('\n'));  // of a raw string
  }
  descendTo(expansion.end, text);
  return text + " ";
}

}  // namespace muster::plugin
