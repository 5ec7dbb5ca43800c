// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LocalMacros.h"

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

std::vector<MacroLine> macroLines(const SourceManager& sources, const TextBefore& part, const SkippedText& skipped) {
  std::vector<MacroLine> found;
  if (part.file.isInvalid()) return found;
  const llvm::StringRef whole = sources.getBufferData(part.file);
  llvm::SmallVector<llvm::StringRef> lines;
  whole.slice(part.begin, part.end).split(lines, '\n');
  const auto ranges = skipped.find(part.file);
  const auto isSkipped = [&](llvm::StringRef line) {
    const auto offset = static_cast<unsigned>(line.begin() - whole.begin());
    return ranges != skipped.end() && llvm::any_of(ranges->second, [&](const auto& range) {
             return range.first < offset && offset < range.second;
           });
  };
  for (llvm::StringRef line : lines) {
    llvm::StringRef text = line.ltrim();
    if (!text.consume_front("#") || isSkipped(line)) continue;
    text = text.trim();
    MacroLine macro{text, "", false};
    if (text.starts_with("include") || (text.starts_with("pragma") && text.contains("_macro"))) {
      found.push_back(macro);
    } else if (text.consume_front("define") || text.consume_front("undef")) {
      text = text.ltrim();
      macro.name = text.take_while([](char c) { return isAsciiIdentifierContinue(c); });
      macro.hasTokens = macro.text.starts_with("define") && !text.drop_front(macro.name.size()).trim().empty();
      found.push_back(macro);
    }
  }
  return found;
}

// The line whose name the text spells, as conditionals may, too.
static const MacroLine* spelledLine(const SourceManager& sources, const LangOptions& options, const TextBefore& part,
                                    const std::vector<MacroLine>& lines) {
  const llvm::StringRef whole = sources.getBufferData(part.file);
  Lexer lexer(sources.getLocForStartOfFile(part.file), options, whole.begin(), whole.begin() + part.begin, whole.end());
  Token token;
  while (!lexer.LexFromRawLexer(token) && part.contains(sources, token.getLocation())) {
    if (token.isNot(tok::raw_identifier)) continue;
    const llvm::StringRef name = token.getRawIdentifier();
    const auto line = llvm::find_if(lines, [&](const MacroLine& other) { return other.name == name; });
    if (line != lines.end()) return &*line;
  }
  return nullptr;
}

const MacroLine* dependsOn(const ASTContext& ast, const TextBefore& before, const std::vector<MacroLine>& lines,
                           unsigned end) {
  const SourceManager& sources = ast.getSourceManager();
  const TextBefore part{before.file, before.end, end};
  if (const MacroLine* line = spelledLine(sources, ast.getLangOpts(), part, lines)) return line;
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
