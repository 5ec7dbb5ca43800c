// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/LocalMacros.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"

namespace muster::plugin {

using namespace clang;

bool TextBefore::contains(const SourceManager& sources, SourceLocation loc) const {
  const auto [ownFile, offset] = sources.getDecomposedLoc(loc);
  return ownFile == file && begin <= offset && offset < end;
}

bool TextBefore::makes(const SourceManager& sources, SourceLocation loc) const {
  for (; loc.isMacroID(); loc = sources.getImmediateExpansionRange(loc).getBegin()) {
    const SourceLocation spelling = sources.getImmediateSpellingLoc(loc);
    if (spelling.isMacroID() ? makes(sources, spelling) : contains(sources, spelling)) return true;
  }
  return false;
}

TextBefore textBefore(const SourceManager& sources, const FunctionDecl* function, SourceLocation directive) {
  const auto [file, begin] = sources.getDecomposedLoc(sources.getFileLoc(function->getBeginLoc()));
  const auto [ownFile, end] = sources.getDecomposedLoc(sources.getFileLoc(directive));
  return file == ownFile ? TextBefore{file, begin, end} : TextBefore{};
}

// The tokens of a part of a file, as they are written.
class PartLexer {
 public:
  PartLexer(const ASTContext& ast, const TextBefore& part)
      : sources_(ast.getSourceManager()),
        part_(part),
        whole_(sources_.getBufferData(part.file)),
        lexer_(sources_.getLocForStartOfFile(part.file), ast.getLangOpts(), whole_.begin(), whole_.begin() + part.begin,
               whole_.end()) {}
  // False behind the last one.
  bool next(Token& token) { return !lexer_.LexFromRawLexer(token) && part_.contains(sources_, token.getLocation()); }
  llvm::StringRef nameOf(const Token& token) const {
    return token.is(tok::raw_identifier) ? token.getRawIdentifier() : llvm::StringRef();
  }
  // From the token to the end of its line, also of a part that ends before.
  llvm::StringRef lineFrom(const Token& token) const {
    return whole_.substr(sources_.getFileOffset(token.getLocation()))
        .take_until([](char c) { return c == '\n'; })
        .trim();
  }

 private:
  const SourceManager& sources_;
  const TextBefore& part_;
  llvm::StringRef whole_;
  Lexer lexer_;
};

std::vector<MacroLine> macroLines(const ASTContext& ast, const TextBefore& part, const SkippedText& skipped) {
  std::vector<MacroLine> found;
  if (part.file.isInvalid()) return found;
  const auto ranges = skipped.find(part.file);
  const auto isSkipped = [&](const Token& token) {
    const unsigned offset = ast.getSourceManager().getFileOffset(token.getLocation());
    return ranges != skipped.end() && llvm::any_of(ranges->second, [&](const auto& range) {
             return range.first < offset && offset < range.second;
           });
  };
  PartLexer lexer(ast, part);
  Token token;
  for (bool more = lexer.next(token); more;) {
    const bool isDirective = token.is(tok::hash) && token.isAtStartOfLine();
    const bool isOperator = lexer.nameOf(token) == "_Pragma";
    const llvm::StringRef line = lexer.lineFrom(token);
    const bool counts = (isDirective || isOperator) && !isSkipped(token);
    more = lexer.next(token);
    if (!counts) continue;
    if (isOperator && line.contains("_macro")) found.push_back({line, "", false});
    if (!isDirective || !more || token.isAtStartOfLine()) continue;
    const llvm::StringRef kind = lexer.nameOf(token), text = lexer.lineFrom(token);
    if (kind == "include" || kind == "include_next" || (kind == "pragma" && text.contains("_macro")))
      found.push_back({text, "", false});
    if (kind != "define" && kind != "undef") continue;
    more = lexer.next(token);
    MacroLine macro{text, lexer.nameOf(token), false};
    const bool hasName = more && !token.isAtStartOfLine();
    more = more && lexer.next(token);
    macro.hasTokens = kind == "define" && more && !token.isAtStartOfLine();
    if (hasName) found.push_back(macro);
  }
  return found;
}

// The line whose name the text spells, as conditionals may, too.
static const MacroLine* spelledLine(const ASTContext& ast, const TextBefore& part,
                                    const std::vector<MacroLine>& lines) {
  PartLexer lexer(ast, part);
  for (Token token; lexer.next(token);) {
    const llvm::StringRef name = lexer.nameOf(token);
    const auto line = llvm::find_if(lines, [&](const MacroLine& other) { return other.name == name; });
    if (!name.empty() && line != lines.end()) return &*line;
  }
  return nullptr;
}

const MacroLine* dependsOn(const ASTContext& ast, const TextBefore& before, const std::vector<MacroLine>& lines,
                           unsigned end) {
  const SourceManager& sources = ast.getSourceManager();
  const TextBefore part{before.file, before.end, end};
  if (const MacroLine* line = spelledLine(ast, part, lines)) return line;
  // Nothing tells whether another macro has the name of one that is empty here.
  const auto empty = llvm::find_if(lines, [](const MacroLine& line) { return !line.hasTokens; });
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry& entry = sources.getLocalSLocEntry(i);
    if (!entry.isExpansion()) continue;
    const SrcMgr::ExpansionInfo& expansion = entry.getExpansion();
    if (!part.contains(sources, sources.getFileLoc(expansion.getExpansionLocStart()))) continue;
    const SourceLocation spelling = expansion.getSpellingLoc();
    if (empty != lines.end()) return &*empty;
    if (spelling.isFileID() && before.contains(sources, spelling)) return &lines.front();
  }
  return nullptr;
}

}  // namespace muster::plugin
